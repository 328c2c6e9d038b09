/// Makes a UUID from one of our identifiers, for an app that needs one.
enum UUIDText {
    /// `text` in capitals if it is a UUID; else a UUID of version 8 derived from it by FNV-1a (122 bits). The same text gives the
    /// same UUID. It hides nothing.
    static func of(_ text: String) -> String {
        isUUID(text) ? text.uppercased() : made(of: text)
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.joined().utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func made(of text: String) -> String {
        let high = hash(text, from: 0xCBF2_9CE4_8422_2325)
        let low = hash(text, from: 0x8422_2325_CBF2_9CE4)
        // Version 8, "made by the application", and the variant of all UUIDs.
        let first = digits(high & ~0xF000 | 0x8000)
        let second = digits(low & ~(0b11 << 62) | 0b10 << 62)
        return [first.prefix(8), first.dropFirst(8).prefix(4), first.suffix(4), second.prefix(4), second.suffix(12)]
            .joined(separator: "-")
    }

    private static func hash(_ text: String, from offset: UInt64) -> UInt64 {
        text.utf8.reduce(offset) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
