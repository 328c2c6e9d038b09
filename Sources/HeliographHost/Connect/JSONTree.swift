import RelayProtocol

/// A value that is added to a person's JSON, before it is laid out in their style.
enum JSONTree {
    case string(String)
    case number(Int)
    case array([JSONTree])
    case object([(key: String, value: JSONTree)])

    /// Layout of a value: over several lines, or in one.
    struct Layout {
        /// Beginning of each line of the container itself; nil puts everything on one line.
        var lineBreak: [UInt8]?
        /// The indentation of one more level.
        var indentation: [UInt8]
        /// The space after a colon, and on one line after a comma; may be empty.
        var space: [UInt8]

        var nested: Layout {
            var layout = self
            layout.lineBreak = lineBreak.map { $0 + indentation }
            return layout
        }
    }

    func bytes(_ layout: Layout) -> [UInt8] {
        switch self {
        case .string(let text): return JSONWriter.string(text)
        case .number(let number): return Array(String(number).utf8)
        case .array(let elements): return Self.container("[", elements.map { $0.bytes(layout.nested) }, "]", layout)
        case .object(let members):
            return Self.container("{", members.map { Self.member($0.key, $0.value, layout.nested) }, "}", layout)
        }
    }

    static func member(_ key: String, _ value: JSONTree, _ layout: Layout) -> [UInt8] {
        JSONWriter.string(key) + [UInt8(ascii: ":")] + layout.space + value.bytes(layout)
    }

    private static func container(
        _ opening: Unicode.Scalar, _ children: [[UInt8]], _ closing: Unicode.Scalar, _ layout: Layout
    ) -> [UInt8] {
        var result = [UInt8(ascii: opening)]
        for (index, child) in children.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            result += layout.nested.lineBreak ?? (index > 0 ? layout.space : [])
            result += child
        }
        if !children.isEmpty { result += layout.lineBreak ?? [] }
        return result + [UInt8(ascii: closing)]
    }
}
