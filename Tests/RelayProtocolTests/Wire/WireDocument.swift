import RelayProtocol

/// The protocol document's tables, whose second column the wire's table fills: a row for each message, kind of event and object that the
/// document gives a name in capitals.
struct WireDocument {
    /// The document with its second columns as they should be.
    private(set) var text = ""
    /// Things that the document has a row for: `host-to-relay hello`, `session.started`, `BUDGET`.
    private(set) var rows: [String] = []

    /// Objects that have a row.
    private let objects: [String: WireObject]

    init(_ document: String) {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var known: [String: WireObject] = [:]
        for object in Self.objects { known[object.name?.uppercased() ?? ""] = object }
        objects = known.filter { name, _ in lines.contains { $0.hasPrefix("| \(name) | ") } }
        var section = ""
        var isInTable = false
        text = lines.map { line in
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            // Tables of other things stand in the document, too.
            if line.hasPrefix("|---") || !line.hasPrefix("|") { isInTable = line.hasPrefix("|---") }
            return isInTable ? row(line, in: section) : line
        }.joined(separator: "\n")
    }

    private mutating func row(_ line: String, in section: String) -> String {
        var cells = line.split(separator: " | ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 3 else { return line }
        let names = cells[0].dropFirst(2).split(separator: ", ").map { String($0.filter { $0 != "`" }) }
        var spelled: Set<String> = []
        for name in names {
            guard let (key, fields) = fields(of: name, in: section) else { return line }
            rows.append(key)
            spelled.insert(self.spelled(fields, sides: EventKind(rawValue: key) != nil))
        }
        guard spelled.count == 1, let fields = spelled.first else { return line }
        cells[1] = fields
        return cells.joined(separator: " | ")
    }

    /// If two messages have the same type, the first row is the first's.
    private func fields(of name: String, in section: String) -> (key: String, fields: [WireField])? {
        if let object = objects[name] { return (name, object.fields) }
        if section == "Events" { return EventKind(rawValue: name).map { (name, WireTable.head($0).fields) } }
        guard let direction = Self.directions[section] else { return nil }
        let key = "\(direction.rawValue) \(name)"
        let messages = WireTable.messages(direction).filter { $0.type == name }
        let place = rows.count { $0 == key }
        return messages.indices.contains(place) ? (key, messages[place].fields) : nil
    }

    private static let directions: [String: WireMessage.Direction] = [
        "Host → relay": .hostToRelay, "Relay → host": .relayToHost, "Client → relay": .clientToRelay,
        "Relay → client": .relayToClient,
    ]

    /// Every object that has a name.
    private static let objects: [WireObject] = {
        var found = WireTable.contents + WireTable.http + [WireTable.event]
        func look(at type: WireType) {
            switch type.shape {
            case .object(let object):
                if object.name != nil { found.append(object) }
                object.fields.forEach { look(at: $0.type) }
            case .either(let plain, let others):
                look(at: .object(plain))
                others.forEach { look(at: .object($0.value)) }
            case .list(let element, _): look(at: element)
            default: break
            }
        }
        for direction in WireMessage.Direction.allCases {
            for message in WireTable.messages(direction) { message.fields.forEach { look(at: $0.type) } }
        }
        return found
    }()

    // MARK: - As the document spells them

    /// `sides`: with what a sealed host lets the relay read.
    private func spelled(_ fields: [WireField], sides: Bool = false) -> String {
        fields.map { field in
            let note = field.example.map { "(\($0))" } ?? note(field.type, sides: sides)
            let standing = field.standing.map { " (\($0))" } ?? ""
            let side = sides ? field.side.map(spelled) ?? "" : ""
            return "`\(field.name)`\(field.isRequired ? "" : "?")\(side)\(note.isEmpty ? "" : " \(note)")\(standing)"
        }.joined(separator: ", ")
    }

    private func spelled(_ side: WireSide) -> String {
        switch side {
        case .head, .parts: ""
        case .sealed: "×"
        case .standIn, .named, .alias, .places, .same: "≈"
        case .added: "+"
        }
    }

    private func note(_ type: WireType, sides: Bool) -> String {
        switch type.shape {
        case .integer(let range) where type.name == nil:
            // A bound near the largest number is not worth mentioning.
            return range.upperBound > JSONValue.integerMax / 2
                ? "(from \(range.lowerBound))" : "(\(range.lowerBound) to \(range.upperBound))"
        case .text(let max) where type.name == nil && max < .max: return "(at most \(max) bytes)"
        case .word(let words): return "(\(words.map { "`\($0)`" }.joined(separator: ", ")))"
        case .openWord(let words, _) where type.name == nil:
            return "(\(words.map { "`\($0)`" }.joined(separator: ", ")))"
        case .object(let object):
            if let name = object.name?.uppercased(), objects[name] != nil { return "(\(name))" }
            return "{\(spelled(object.fields, sides: sides))}"
        case .either(let plain, let others):
            let words = others.map { "with `\($0.key)` a \($0.value.name?.uppercased() ?? "")" }
            return "(\(([plain.name?.uppercased() ?? ""] + words).joined(separator: ", ")))"
        case .event: return "(EVENT)"
        case .list(let element, let range):
            let entry = note(element, sides: sides)
            let inner = entry.hasPrefix("(") && !entry.hasSuffix("bytes)") ? String(entry.dropFirst().dropLast()) : entry
            let list = "[\(inner.isEmpty ? element.name ?? "text" : inner)]"
            switch (range.lowerBound, range.upperBound) {
            case (0, .max): return list
            case (let least, .max): return "\(list) (at least \(least))"
            case (0, let most): return "\(list) (at most \(most))"
            case (let least, let most): return "\(list) (\(least) to \(most))"
            }
        default: return ""
        }
    }
}
