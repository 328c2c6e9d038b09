/// Bytes as text.
extension Crypto {
    /// Two lowercase digits for each byte.
    package static func hex(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                unsafe text[2 * index] = hexDigit(byte >> 4)
                unsafe text[2 * index + 1] = hexDigit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Base64 in the alphabet of RFC 4648 §5, without padding: `[A-Za-z0-9_-]` only, so it can be in an identifier.
    package static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(base64URLDigits[Int(bits >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(base64URLDigits[Int(bits << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes whose `base64URL(_:)` is `text`; nil for any other spelling, padding included.
    package static func bytes(base64URL text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let digit = base64URLDigits.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(digit)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // The remaining bits must be fewer than a digit, and zero.
        guard bitCount < 6, bits & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
        return bytes
    }

    /// Standard base64: RFC 4648 §4, padded.
    package static func base64(_ bytes: [UInt8]) -> String {
        let text = base64URL(bytes).utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        return String(decoding: text + padding, as: UTF8.self)
    }

    /// The bytes whose `base64(_:)` is `text`; nil for any other spelling.
    package static func bytes(base64 text: String) -> [UInt8]? {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed().map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard let bytes = bytes(base64URL: String(decoding: digits, as: UTF8.self)), base64(bytes) == text else { return nil }
        return bytes
    }

    static let base64URLDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
