/// Escapes in JSON strings, both ways.
enum JSONString {
    /// Decodes the inside of a string that the parser has already found valid.
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
    static func append(_ text: String, to room: inout ByteRoom) {
        var text = text
        text.withUTF8 { text in
            let end = unsafe ByteScan.endOfUnescaped(in: text.span, from: 0)
            if let start = text.baseAddress, end == text.count {
                unsafe append(plain: start, text.count, to: &room)
            } else {
                unsafe append(text, plainTo: end, to: &room)
            }
        }
    }

    /// Appends a text without escapes in one piece, as nearly all texts are.
    private static func append(plain text: UnsafePointer<UInt8>, _ count: Int, to room: inout ByteRoom) {
        unsafe room.append(atMost: count + 2) { room in
            unsafe room[0] = UInt8(ascii: "\"")
            unsafe (room + 1).update(from: text, count: count)
            unsafe room[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    /// Appends a text that has to be escaped. `first`: index of the first byte to escape, or the end.
    private static func append(_ text: UnsafeBufferPointer<UInt8>, plainTo first: Int, to room: inout ByteRoom) {
        room.append(UInt8(ascii: "\""))
        var (index, end) = (0, first)
        while true {
            if end > index { unsafe room.append(UnsafeBufferPointer(rebasing: text[index..<end])) }
            guard end < text.count else { break }
            index = end + 1
            let byte = unsafe text[end]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                room.append(UInt8(ascii: "\\"))
                room.append(byte)
            case 0x0A: room.append("\\n")
            case 0x0D: room.append("\\r")
            case 0x09: room.append("\\t")
            default:
                room.append("\\u00")
                room.append(hexDigit(of: byte >> 4))
                room.append(hexDigit(of: byte & 15))
            }
            end = unsafe ByteScan.endOfUnescaped(in: text.span, from: index)
        }
        room.append(UInt8(ascii: "\""))
    }

    private static func hexDigit(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
