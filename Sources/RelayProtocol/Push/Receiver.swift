/// A program or webhook that the relay's operator has set up to get pushes, by the name that the operator gave it. Not secret: only
/// the relay knows what the name stands for.
package struct Receiver: Sendable, Hashable {
    package let name: String

    package init(_ name: String) { self.name = name }

    static let namePattern = "^[a-z0-9-]{1,32}$"

    package static func isName(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

// MARK: - On the wire

extension Receiver {
    /// Nil if there is no name.
    init?(from value: JSONValue) throws(WireError) {
        guard let name = try value.object().optionalString("name") else { return nil }
        guard Self.isName(name) else {
            throw WireError(
                .badValue, at: "\(value.path).name", "a receiver is named by 1 to 32 lower-case letters, digits and hyphens")
        }
        self.init(name)
    }

    func write(to writer: inout JSONWriter) { writer.field("name", name) }
}
