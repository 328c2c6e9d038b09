internal import RelayProtocol

/// A call's `rawInput`, for comparison: agents that give a permission's call another name than the call itself give both the same
/// input.
struct CallInput: Hashable {
    private let canonical: [UInt8]

    /// Nil if there is nothing by which calls differ.
    init?(_ value: JSONValue?) {
        guard let value, value.isObject, let members = try? value.members(), !members.isEmpty else { return nil }
        canonical = Self.canonical(value)
    }

    init?(_ json: [UInt8]?) {
        guard let json, let root = try? JSONDocument(parsing: json).root else { return nil }
        self.init(root)
    }

    /// The value with members sorted by name and without spaces. Recursion is safe, because a document's nesting is bounded.
    private static func canonical(_ value: JSONValue) -> [UInt8] {
        if let members = try? value.members() {
            let sorted = members.sorted { $0.key < $1.key }
            return JSONWriter.object { writer in
                for (key, value) in sorted { writer.raw(dynamic: key, canonical(value)) }
            }
        }
        if let elements = try? value.array() { return JSONWriter.array(elements.map(canonical)) }
        return (try? value.string()).map { JSONWriter.string($0) } ?? Array(value.bytes)
    }
}
