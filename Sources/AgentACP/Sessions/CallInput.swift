internal import RelayProtocol

/// A call's `rawInput`, for comparing: agents that name a permission's call otherwise than the call itself say the same input in both.
struct CallInput: Hashable {
    private let canonical: [UInt8]

    /// Nil if there is nothing to tell calls apart by.
    init?(_ value: JSONValue?) {
        guard let value, value.isObject, let members = try? value.members(), !members.isEmpty else { return nil }
        canonical = Self.canonical(value)
    }

    init?(_ json: [UInt8]?) {
        guard let json, let root = try? JSONDocument(parsing: json).root else { return nil }
        self.init(root)
    }

    /// Members in the order of their names, and no spaces. A document is never nested deeper than the stack takes.
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
