/// Makes tokens, codes and names, and the digests that the relay stores of them.
package enum Secret {
    /// A token: `prefix`, then 43 characters that spell 256 random bits.
    package static func token(prefix: String) -> String { prefix + Crypto.base64URL(Crypto.random(count: 32)) }

    /// True if it is spelled as `token(prefix:)` does, so that whoever made it need not have made it badly.
    package static func isToken(_ text: String, prefix: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 43
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy(Crypto.base64URLDigits.contains)
    }

    /// The digest of a token, which the store keeps and looks it up by. A plain SHA-256 is enough: 256 random bits cannot be
    /// guessed at any speed.
    package static func digest(ofToken token: String) -> [UInt8] { Crypto.sha256(token) }

    /// A code that a person can type and that cannot be guessed: 100 random bits, such as `7Q2MW-0VKXB-3NRCE-94TGH`.
    package static func pairingCode() -> String {
        let letters = crockford(Crypto.random(count: pairingCodeLetters))
        return stride(from: 0, to: letters.count, by: pairingCodeGroup)
            .map { String(decoding: letters[$0..<$0 + pairingCodeGroup], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// The bare letters of a code as a person typed it: any case, any dashes and spaces, O for 0, I and L for 1. Nil if it cannot be a
    /// code.
    package static func normalizePairingCode(_ typed: String) -> String? {
        guard typed.utf8.count <= pairingCodeTypedBytesMax else { return nil }
        var letters: [UInt8] = []
        for byte in typed.utf8 {
            // ASCII letters differ from their capitals by one bit.
            let isLowercase = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            switch isLowercase ? byte & ~0x20 : byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): letters.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): letters.append(UInt8(ascii: "1"))
            case let letter where crockfordDigits.contains(letter): letters.append(letter)
            default: return nil
            }
        }
        return letters.count == pairingCodeLetters ? String(decoding: letters, as: UTF8.self) : nil
    }

    /// The digest of a code, which the store keeps and looks it up by; nil if `typed` cannot be a code.
    package static func digest(ofPairingCode typed: String) -> [UInt8]? {
        normalizePairingCode(typed).map { Crypto.sha256($0) }
    }

    /// A new unique name: `prefix`, then 100 random bits in lower case. `[A-Za-z0-9_-]`, at most 64 characters.
    package static func identifier(prefix: String) -> String { identifier(prefix, Crypto.random(count: identifierLetters)) }

    /// The name that belongs to this key alone: the same each time.
    package static func identifier(prefix: String, of key: String) -> String {
        identifier(prefix, Array(Crypto.sha256("heliograph identifier \(prefix) \(key)").prefix(identifierLetters)))
    }

    private static let identifierLetters = 20

    private static func identifier(_ prefix: String, _ random: [UInt8]) -> String {
        precondition(prefix.utf8.count <= 44, "the prefix of an identifier leaves room for 20 characters of 64")
        let letters = crockford(random).map { $0 | 0x20 }  // digits have this bit set already
        return prefix + String(decoding: letters, as: UTF8.self)
    }

    private static let pairingCodeLetters = 20
    private static let pairingCodeGroup = 5
    /// Longest typed code: with a separator around every letter. Longer texts are not read.
    private static let pairingCodeTypedBytesMax = 64
    /// Crockford's base 32, without I, L, O and U, so that no character is mistaken for another.
    private static let crockfordDigits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// 256 is a multiple of 32, so each letter is as likely as any other.
    private static func crockford(_ random: [UInt8]) -> [UInt8] { random.map { crockfordDigits[Int($0 & 31)] } }
}
