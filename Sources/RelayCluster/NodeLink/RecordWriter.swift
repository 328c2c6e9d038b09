/// Encodes numbers in base 128, lowest digits first, and bytes after their count.
package struct RecordWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }
    package var count: Int { bytes.count }

    /// Returns the written bytes and empties the writer.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Empties the writer after its bytes were sent. Keeps the capacity, unless it exceeds what a turn gathers.
    package mutating func clear() { bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * NodeLinkLimits.gatheredBytesMax) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func number(_ value: Int) { number(UInt64(value)) }

    /// A count, and that many numbers: most of a message to thousands of peers.
    mutating func numbers(_ values: [Int]) {
        number(values.count)
        for value in values {
            if value < 0x80 { bytes.append(UInt8(value)) } else { number(value) }
        }
    }

    mutating func data(_ value: some Collection<UInt8>) {
        number(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { data(value.utf8) }

    mutating func optionalText(_ value: String?) {
        byte(value == nil ? 0 : 1)
        if let value { text(value) }
    }
}
