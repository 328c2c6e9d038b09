package import RelayProtocol

/// Makes values that have every field of the table: no two numbers or texts alike, nothing that is a default.
package struct WireExamples {
    private var last = 1

    /// Examples of an object. If its fields exclude each other there are several, which together have all fields.
    package static func of(_ fields: [WireField]) -> [[String: JSONTree]] {
        var maker = WireExamples()
        return maker.examples(fields)
    }

    private mutating func examples(_ fields: [WireField]) -> [[String: JSONTree]] {
        choices(fields).flatMap { chosen, words in
            var found: [[String: JSONTree]] = [[:]]
            for field in chosen {
                let word = words[field.name].map { [JSONTree.text($0)] }
                let values = word ?? field.example.map { [.plain($0)] } ?? examples(field.type)
                let base = found[0]
                for place in found.indices { found[place][field.name] = values[0] }
                found += values.dropFirst().map { value in base.merging([field.name: value]) { $1 } }
            }
            // Further examples lack the fields that followed their own.
            return found.map { $0.merging(found[0]) { own, _ in own } }
        }
    }

    /// The fields that stand together, and the words that make them stand.
    private func choices(_ fields: [WireField]) -> [(fields: [WireField], words: [String: String])] {
        let alternatives = fields.filter { $0.presence == .alternative }.map(\.name)
        if !alternatives.isEmpty {
            return alternatives.map { name in
                let chosen = fields.filter {
                    $0.isRequired || $0.name == name || $0.presence == .beside(name)
                }
                return (chosen, [:])
            }
        }
        let deciding = fields.first { field in fields.contains { $0.depends(on: field.name) } }
        guard let deciding, case .word(let words) = deciding.type.shape else { return [(fields, [:])] }
        return words.map { word in
            let chosen = fields.filter { $0.stands(where: deciding.name, says: word) }
            return (chosen, [deciding.name: word])
        }
    }

    private mutating func examples(_ type: WireType) -> [JSONTree] {
        switch type.shape {
        case .flag: return [.plain("true")]
        case .integer(let range): return [.plain("\(min(max(Int64(next()), range.lowerBound), range.upperBound))")]
        case .text: return [.text("text \(next())")]
        // Equally long, so that a list that is written in order is in order already.
        case .pattern(_, let example): return [.text(type.name == "identifier" ? "id\(1_000 + next())" : example)]
        case .word(let words), .openWord(let words, _): return [.text(words.last!)]
        case .object(let object): return examples(object.fields).map { JSONTree.object($0).namedByRequest }
        case .either(let plain, let others):
            return ([plain] + others.map(\.value)).flatMap { examples($0.fields) }.map(JSONTree.object)
        case .list(let element, _):
            if case .word = element.shape { return [.list(examples(element))] }
            if case .openWord = element.shape { return [.list(examples(element))] }
            let elements = examples(element)
            guard elements.count > 1 else { return [.list(elements + examples(element))] }
            // Each change of an element has the whole message read again: long lists become several.
            return stride(from: 0, to: elements.count, by: 4).map { .list(Array(elements[$0..<min($0 + 4, elements.count)])) }
        case .event(let kind, _): return [event(kind ?? .message)]
        case .fields: return [.object(["x": .plain("1")])]
        }
    }

    private mutating func event(_ kind: EventKind) -> JSONTree {
        .object([
            "kind": .text(kind.rawValue), "at": .plain("\(next())"), "head": .object(examples(WireTable.head(kind).fields)[0]),
            "body": .object(["x": .plain("1")]), "line": .text("c2VhbGVk"),
        ])
    }

    private mutating func next() -> Int {
        last += 1
        return last
    }
}

extension JSONTree {
    /// An approval has the name that its request gives it.
    fileprivate var namedByRequest: JSONTree {
        let name = self[[.member("request"), .member("head"), .member("approval")]]
        return name.map { replacing([.member("approval")], with: $0) } ?? self
    }
}

extension WireField {
    /// True if the field is present only with certain words of that field.
    fileprivate func depends(on other: String) -> Bool {
        if case .with(other, _, _) = presence { true } else { false }
    }

    fileprivate func stands(where other: String, says word: String) -> Bool {
        switch presence {
        case .with(other, let always, let perhaps): (always + perhaps).contains(word)
        default: true
        }
    }
}
