internal import FoundationEssentials

/// RFC 4648, §4 for channels and §5 for JSON web tokens.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Nil if this is not base 64 with its padding.
    static func decode(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { Array($0) }
    }

    /// Nil if this is not the URL-safe alphabet without padding, as RFC 7515 requires.
    static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        var padded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): padded.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): padded.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: padded.append(byte)
            }
        }
        while padded.count % 4 != 0 { padded.append(UInt8(ascii: "=")) }
        return decode(String(decoding: padded, as: UTF8.self))
    }
}
