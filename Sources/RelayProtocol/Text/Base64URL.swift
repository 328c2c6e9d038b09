/// RFC 4648 §5 without padding. Each value has exactly one valid encoding.
package enum Base64URL {
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(textCount(of: bytes.count))
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(digits[Int(bits >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(digits[Int(bits << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes the text; nil if it is not exactly what `text(_:)` would return.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // Six leftover bits are a character too many; bits that are set there would be a second encoding of the same value.
        guard bitCount < 6, bits & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
        return bytes
    }

    /// True if every character is in the base64url alphabet.
    static func isSpelled(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { values[Int($0)] < 64 } }

    /// Number of characters for so many bytes.
    static func textCount(of byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// Values by character; 64 for all others.
    private static let values = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}

extension JSONValue {
    /// A member with sealed bytes in base64url, which the relay carries and does not open.
    func optionalSealed(_ key: StaticString, bytesMax: Int) throws(WireError) -> String? {
        guard let value = optional(key) else { return nil }
        let text = try value.string(bytesMax: bytesMax)
        guard !text.isEmpty, Base64URL.isSpelled(text) else {
            throw WireError(.badValue, at: value.path, "sealed content is in base64url without padding")
        }
        return text
    }
}
