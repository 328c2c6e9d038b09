package import RelayProtocol

/// An example with one change that, by the table, must be refused or accepted.
package struct WireMutation {
    package enum Expectation: Equatable, Sendable {
        case taken
        case refused(WireError.Code)
    }

    package let what: String
    package let path: [JSONTree.Step]
    /// Nil: the field is taken away.
    package let value: JSONTree?
    package let expected: Expectation
    /// A bound, as opposed to a type or a presence.
    package private(set) var isBound = false

    /// All mutations of the object at `path` of the example; `events` includes those of its events.
    package static func all(_ fields: [WireField], in example: JSONTree, at path: [JSONTree.Step] = [], events: Bool)
        -> [WireMutation]
    {
        fields.flatMap { field -> [WireMutation] in
            let place = path + [.member(field.name)]
            guard example[place] != nil else { return [] }
            let absent: Expectation =
                switch field.presence {
                case .required, .beside: .refused(.missingField)
                case .with(let other, let always, _):
                    always.contains { example[path + [.member(other)]] == .text($0) } ? .refused(.missingField) : .taken
                case .defaulted, .optional, .alternative: .taken
                }
            return [
                WireMutation(what: "absent", path: place, value: nil, expected: absent),
                WireMutation(what: "null", path: place, value: .plain("null"), expected: absent),
            ] + all(field.type, in: example, at: place, events: events)
        }
    }

    private static func all(_ type: WireType, in example: JSONTree, at path: [JSONTree.Step], events: Bool) -> [WireMutation] {
        let own = bounds(type, of: example[path]).map { what, value, code in
            WireMutation(what: what, path: path, value: value, expected: .refused(code), isBound: true)
        }
        return otherTypes(type).map {
            WireMutation(what: "another type", path: path, value: $0, expected: .refused(.wrongType))
        } + own + inside(type, in: example, at: path, events: events)
    }

    private static func otherTypes(_ type: WireType) -> [JSONTree] {
        let all: [JSONTree] = [.plain("true"), .plain("7"), .text("x"), .list([]), .object([:])]
        let own =
            switch type.shape {
            case .flag: 0
            case .integer: 1
            case .text, .pattern, .word, .openWord: 2
            case .list: 3
            case .object, .either, .event, .fields: 4
            }
        let fraction: [JSONTree] = own == 1 ? [.plain("1.0")] : []
        return all.enumerated().filter { $0.offset != own }.map(\.element) + fraction
    }

    private static func bounds(_ type: WireType, of value: JSONTree?) -> [(String, JSONTree, WireError.Code)] {
        switch type.shape {
        case .integer(let range):
            return [
                ("too low", .plain("\(range.lowerBound - 1)"), .outOfRange),
                ("too high", .plain("\(range.upperBound + 1)"), .outOfRange),
            ]
        case .text(let max), .openWord(_, let max):
            guard max < .max else { return [] }
            return [("too long", .text(String(repeating: "x", count: max + 1)), .outOfRange)]
        case .pattern: return [("spelled otherwise", .text("é!"), .badValue)]
        case .word: return [("another word", .text("nonsense"), .badValue)]
        case .list(_, let range):
            guard case .list(let elements) = value else { return [] }
            var found: [(String, JSONTree, WireError.Code)] = []
            if range.lowerBound > 0 { found.append(("too few", .list([]), .outOfRange)) }
            if range.upperBound < .max {
                let many = Array(repeating: elements[0], count: range.upperBound + 1)
                found.append(("too many", .list(many), .outOfRange))
            }
            return found
        case .flag, .object, .either, .event, .fields: return []
        }
    }

    private static func inside(
        _ type: WireType, in example: JSONTree, at path: [JSONTree.Step], events: Bool
    ) -> [WireMutation] {
        switch type.shape {
        case .object(let object): return all(object.fields, in: example, at: path, events: events)
        case .either(let plain, let others):
            guard let other = others.first(where: { example[path + [.member($0.key)]] != nil }) else {
                return all(plain.fields, in: example, at: path, events: events)
            }
            let place = path + [.member(other.key)]
            // Without that field it is held against the first of them.
            return all(other.value.fields, in: example, at: path, events: events).filter { mutation in
                mutation.path != place || mutation.expected != .refused(.missingField)
            }
        case .list(let element, _):
            guard case .list(let elements) = example[path] else { return [] }
            return elements.indices.flatMap { all(element, in: example, at: path + [.element($0)], events: events) }
        case .event:
            guard events, case .text(let word) = example[path + [.member("kind")]], let kind = EventKind(rawValue: word)
            else { return [] }
            return all(WireTable.event.fields, in: example, at: path, events: true)
                + all(WireTable.head(kind).fields, in: example, at: path + [.member("head")], events: true)
        case .flag, .integer, .text, .pattern, .word, .openWord, .fields: return []
        }
    }
}
