internal import HeliographCrypto

/// A table's row count and a digest of its rows, independent of their order.
///
/// The digest is the sum of the rows' SHA-256, in parts of 64 bits, because two stores sort names differently and one has its own
/// numbers. It detects accidents, not forged rows.
package struct TableDigest: Sendable, Equatable {
    package private(set) var rows: Int64 = 0
    /// Damaged rows. They are moved unchanged.
    package private(set) var damaged: Int64 = 0
    private var parts: [UInt64] = [0, 0, 0, 0]

    package init() {}

    mutating func add(_ values: [MovedRow.Value], isIntact: Bool?) {
        rows += 1
        if isIntact == false { damaged += 1 }
        var bytes: [UInt8] = [isIntact.map { $0 ? 1 : 2 } ?? 0]
        for value in values {
            // Each value is added with its type and length, so that the end of one is not taken for the beginning of the next.
            switch value {
            case .null: bytes.append(0)
            case .integer(let number):
                bytes.append(1)
                bytes.add(UInt64(bitPattern: number))
            case .text(let text):
                bytes.append(2)
                bytes.add(UInt64(text.utf8.count))
                bytes += text.utf8
            case .blob(let blob):
                bytes.append(3)
                bytes.add(UInt64(blob.count))
                bytes += blob
            }
        }
        let digest = Crypto.sha256(bytes)
        for part in parts.indices {
            parts[part] &+= digest[(part * 8)..<(part * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The digest as 64 hexadecimal digits.
    package var text: String {
        Crypto.hex(parts.flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (56 - $0 * 8)) } })
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}
