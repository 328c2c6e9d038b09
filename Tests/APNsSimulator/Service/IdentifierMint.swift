/// Makes identifiers for the service and the devices, from a seed so that a run can be replayed.
struct IdentifierMint: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word = next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return Array(bytes.prefix(count))
    }

    /// A UUID of version 4, in lower case.
    mutating func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Self.hexadecimal(bytes))
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }

    /// Two lowercase digits for each byte. Update tokens are longer than alert tokens on real devices; neither size is promised.
    mutating func token(bytes count: Int) -> String { Self.hexadecimal(bytes(count)) }

    /// 16 bytes in base 64, like real channel identifiers.
    mutating func channelID() -> String { Base64.encode(bytes(16)) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
