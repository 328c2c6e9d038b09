/// Writes the bytes that are signed or hashed: `heliograph/v1/`, the domain, a zero byte; then parts with their length before them,
/// and integers, both big-endian. Different sequences of parts, or the same parts in different domains, never give the same bytes.
struct StatementWriter {
    private(set) var bytes: [UInt8]

    init(domain: StaticString) { bytes = Self.prefix(domain) }

    /// For bytes that are hashed into a statement: they need no domain, because their place there says what they are.
    init() { bytes = [] }

    static func prefix(_ domain: StaticString) -> [UInt8] { Array("heliograph/v1/\(domain)".utf8) + [0] }

    mutating func part(_ part: some Collection<UInt8>) {
        number(UInt32(part.count))
        bytes += part
    }

    mutating func part(_ text: String) { part(Array(text.utf8)) }

    mutating func part<Form>(_ value: FixedBytes<Form>) { part(value.bytes) }

    /// One byte 0 if there is none; else one byte 1 and the part.
    mutating func optional(_ text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { part(text) }
    }

    /// Writes the number in the width of its type.
    mutating func number(_ number: some FixedWidthInteger) {
        bytes += (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    mutating func raw(_ raw: [UInt8]) { bytes += raw }
}
