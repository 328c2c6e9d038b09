import RelayProtocol

/// The table as the page's type checker reads it: `web/wire.d.ts`.
struct WireTypeScript {
    private var declared: Set<String> = []
    private var lines: [String] = []

    static var text: String {
        var maker = WireTypeScript()
        maker.declareAll()
        return maker.lines.joined(separator: "\n") + "\n"
    }

    private mutating func declareAll() {
        lines = [
            "/** The wire as the page sees it, for the type checker only. Written by `make wire` from `WireTable`: do not edit. */",
            "", "/** What depends on a kind, and nothing in it is to be trusted. */",
            "export type Fields = { [field: string]: any };",
        ]
        declare(WireTable.event)
        let commands = WireTable.messages(.clientToRelay).filter { $0.type != "hello" }
        let messages = WireTable.messages(.relayToClient)
        for message in commands + messages { message.fields.forEach { declare($0.type) } }
        (WireTable.contents + WireTable.http).forEach { declare($0) }

        var names: [String] = []
        for message in messages {
            let name = Self.name(of: message)
            if declared.contains(name) {
                names.append(inline(members(message.object.fields)))
            } else {
                // Distinguishes two messages of one type.
                let other = messages.compactMap { $0.type == message.type && message.onlyWith == nil ? $0.onlyWith : nil }
                declare(name, message.object, lacking: Array(other.prefix(1)))
                names.append(name)
            }
        }
        declare("What the relay says.", "Message", union: names)
        declare(
            "A command, before the link gives it its `id`.", "Command",
            union: commands.map { command in
                let fields = command.object.fields.filter { $0.name != "id" }
                return inline(members(fields, isCommand: true))
            })
    }

    private static func name(of message: WireMessage) -> String {
        guard message.type == "snapshot" else { return name(message.type) }
        return message.onlyWith == nil ? "WorkspaceSnapshot" : "SessionSnapshot"
    }

    private static func name(_ name: String) -> String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    // MARK: - Declarations

    private mutating func declare(_ type: WireType) {
        switch type.shape {
        case .word(let words):
            guard let name = type.name, declared.insert(Self.name(name)).inserted else { return }
            declare(nil, Self.name(name), union: words.map { "\"\($0)\"" })
        case .object(let object):
            if object.name == nil { object.fields.forEach { declare($0.type) } } else { declare(object) }
        case .either(let plain, let others):
            declare(Self.name(plain.name ?? ""), plain, lacking: others.map(\.key))
            others.forEach { declare($0.value) }
        case .list(let element, _): declare(element)
        case .flag, .integer, .text, .pattern, .openWord, .event, .fields: break
        }
    }

    private mutating func declare(_ object: WireObject) {
        if let name = object.name { declare(Self.name(name), object) }
    }

    private mutating func declare(_ name: String, _ object: WireObject, lacking others: [String] = []) {
        guard declared.insert(name).inserted else { return }
        object.fields.forEach { declare($0.type) }
        lines.append("")
        if let meaning = object.meaning { lines.append("/** \(meaning) */") }
        if declared(name, byWordsOf: object, lacking: others) { return }
        let members = members(object.fields) + others.map { "\($0)?: undefined;" }
        let line = "export interface \(name) \(inline(members))"
        if line.count <= Self.columnsMax, object.fields.allSatisfy({ $0.meaning == nil }) {
            lines.append(line)
            return
        }
        lines.append("export interface \(name) {")
        for (place, member) in members.enumerated() {
            if place < object.fields.count, let meaning = object.fields[place].meaning { lines.append("  /** \(meaning) */") }
            lines.append("  " + member)
        }
        lines.append("}")
    }

    /// An object in which some fields stand only with some words of another: one alternative for all words that have the same fields.
    private mutating func declared(_ name: String, byWordsOf object: WireObject, lacking others: [String]) -> Bool {
        let own = object.fields.filter { $0.standing != nil }
        guard let deciding = object.fields.first(where: { field in own.contains { $0.isDecided(by: field.name) } }),
            case .word(let words) = deciding.type.shape
        else { return false }
        var alternatives: [(words: [String], members: [String])] = []
        for word in words {
            let members = own.map { field in
                switch field.isAlways(with: word) {
                case true: "\(field.name): \(spelled(field.type));"
                case false: "\(field.name)?: \(spelled(field.type));"
                case nil: "\(field.name)?: undefined;"
                }
            }
            if let place = alternatives.firstIndex(where: { $0.members == members }) {
                alternatives[place].words.append(word)
            } else {
                alternatives.append(([word], members))
            }
        }
        lines.append("export type \(name) = {")
        for field in object.fields where field.standing == nil && field.name != deciding.name {
            if let meaning = field.meaning { lines.append("  /** \(meaning) */") }
            lines.append("  " + members([field])[0])
        }
        for other in others { lines.append("  \(other)?: undefined;") }
        lines.append("} & (")
        for field in own { if let meaning = field.meaning { lines.append("  // \(field.name): \(meaning)") } }
        for (words, members) in alternatives {
            let said = words.map { "\"\($0)\"" }.joined(separator: " | ")
            lines.append("  | " + inline(["\(deciding.name): \(said);"] + members))
        }
        lines.append(");")
        return true
    }

    private mutating func declare(_ meaning: String?, _ name: String, union parts: [String]) {
        lines.append("")
        if let meaning { lines.append("/** \(meaning) */") }
        let line = "export type \(name) = \(parts.joined(separator: " | "));"
        if line.count <= Self.columnsMax { return lines.append(line) }
        lines.append("export type \(name) =")
        lines += parts.map { "  | \($0)" }
        lines[lines.count - 1] += ";"
    }

    private static let columnsMax = 130

    // MARK: - Types

    /// A command may omit fields with a default.
    private func members(_ fields: [WireField], isCommand: Bool = false) -> [String] {
        fields.map { field in
            let isAlways = field.isRequired || (field.presence == .defaulted && !isCommand)
            return "\(field.name)\(isAlways ? "" : "?"): \(spelled(field.type));"
        }
    }

    private func inline(_ members: [String]) -> String { "{ \(members.joined(separator: " ").dropLast()) }" }

    private func spelled(_ type: WireType) -> String {
        switch type.shape {
        case .flag: "boolean"
        case .integer: "number"
        case .text, .pattern, .openWord: "string"
        case .word(let words): type.name.map(Self.name) ?? words.map { "\"\($0)\"" }.joined(separator: " | ")
        case .object(let object):
            object.name.map(Self.name) ?? inline(members(object.fields))
        case .either(let plain, let others):
            ([plain] + others.map(\.value)).map { Self.name($0.name ?? "") }.joined(separator: " | ")
        case .list(let element, _):
            if case .word = element.shape, element.name == nil { "(\(spelled(element)))[]" } else { spelled(element) + "[]" }
        case .event: "Event"
        case .fields: "Fields"
        }
    }
}

extension WireField {
    fileprivate func isDecided(by other: String) -> Bool {
        if case .with(other, _, _) = presence { true } else { false }
    }

    /// Nil if the field is absent.
    fileprivate func isAlways(with word: String) -> Bool? {
        guard case .with(_, let always, let perhaps) = presence else { return nil }
        return always.contains(word) ? true : perhaps.contains(word) ? false : nil
    }
}
