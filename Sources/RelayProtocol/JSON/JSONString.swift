/// Escapes in JSON strings, both ways.
enum JSONString {
    /// Decodes a string's inside that the parser has already found valid.
    static func unescape(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                result.append(raw[index])
                index += 1
                continue
            }
            let escape = raw[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = hexadecimal(raw, at: index)
                index += 4
                if (0xD800..<0xDC00).contains(scalar) {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (hexadecimal(raw, at: index + 2) - 0xDC00)
                    index += 6
                }
                result.append(contentsOf: Array(String(Unicode.Scalar(scalar)!).utf8))
            default: result.append(escape)
            }
        }
        return result
    }

    static func hexadecimal(_ raw: ArraySlice<UInt8>, at start: Int) -> UInt32 {
        var value: UInt32 = 0
        for offset in 0..<4 { value = value << 4 | UInt32(digit(raw[start + offset]) ?? 0) }
        return value
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Appends `text` as a JSON string, quotes included.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { unsafe append($0, to: &bytes) }
    }

    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            let end = unsafe ByteScan.endOfUnescaped(in: text.span, from: index)
            if end > index { unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index..<end])) }
            guard end < text.count else { break }
            index = end + 1
            switch unsafe text[end] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                unsafe bytes.append(text[end])
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0x0D: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case 0x09: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            default:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: Array("\\u00".utf8))
                unsafe bytes.append(digits[Int(text[end] >> 4)])
                unsafe bytes.append(digits[Int(text[end] & 15)])
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
