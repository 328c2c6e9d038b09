import RelayProtocol

/// JSON that tests take apart and put together again; the order of members does not count.
package enum JSONTree: Equatable, Sendable {
    /// A number, `true`, `false` or `null`, as it is spelled.
    case plain(String)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// A step from a value to one inside it.
    package enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    package init(parsing bytes: [UInt8]) throws { try self.init(JSONDocument(parsing: bytes).root) }

    private init(_ value: JSONValue) throws {
        switch value.bytes.first {
        case UInt8(ascii: "{"):
            self = .object(
                try Dictionary(uniqueKeysWithValues: value.members().map { ($0.key, try JSONTree($0.value)) }))
        case UInt8(ascii: "["): self = .list(try value.array().map { try JSONTree($0) })
        case UInt8(ascii: "\""): self = .text(try value.string())
        default: self = .plain(String(decoding: value.bytes, as: UTF8.self))
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .plain(let text): Array(text.utf8)
        case .text(let text): JSONWriter.string(text)
        case .list(let elements): JSONWriter.array(elements.map(\.bytes))
        case .object(let members):
            JSONWriter.object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) { writer.raw(dynamic: name, value.bytes) }
            }
        }
    }

    /// The value with `other` at one place; nil removes a member.
    package func replacing(_ path: ArraySlice<Step>, with other: JSONTree?) -> JSONTree {
        guard let step = path.first else { return other ?? .plain("null") }
        let rest = path.dropFirst()
        switch (self, step) {
        case (.object(var members), .member(let name)):
            members[name] = rest.isEmpty ? other : members[name]?.replacing(rest, with: other)
            return .object(members)
        case (.list(var elements), .element(let place)):
            elements[place] = elements[place].replacing(rest, with: other)
            return .list(elements)
        default: preconditionFailure("there is no such place")
        }
    }

    package subscript(path: [Step]) -> JSONTree? {
        path.reduce(self) { tree, step in
            switch (tree, step) {
            case (.object(let members), .member(let name)): members[name]
            case (.list(let elements), .element(let place)): elements[place]
            default: nil
            }
        }
    }
}

extension [JSONTree.Step] {
    /// The place in the spelling of a refusal.
    package var spelled: String {
        reduce("$") { path, step in
            switch step {
            case .member(let name): "\(path).\(name)"
            case .element(let place): "\(path)[\(place)]"
            }
        }
    }
}
