internal import RelayProtocol

/// Base64 in the form of agents' pictures: RFC 4648 §4, with padding.
extension Base64URL {
    static func bytes(ofBase64 text: String) -> [UInt8]? {
        let spelled = text.utf8.prefix { $0 != UInt8(ascii: "=") }.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        return bytes(String(decoding: spelled, as: UTF8.self))
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let spelled = text(bytes).utf8.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        return String(decoding: spelled, as: UTF8.self) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }
}
