/// A program's output as a terminal would leave it: without escape sequences, and each overwritten line as it was last written.
///
/// Made before the search for secrets: colours around a secret, or within it, must not hide it from that search.
enum PrintedText {
    private enum Escape {
        case none, begun
        /// A control sequence: `ESC [`, to its final letter.
        case control
        /// A string such as a title or a link, to BEL or `ESC \`.
        case string
    }

    static func plain(_ bytes: some Sequence<UInt8>) -> String {
        var plain: [UInt8] = []
        var lineStart = 0
        /// True if the next output replaces this line.
        var isReturned = false
        var escape = Escape.none
        for byte in bytes {
            // No escape sequence continues on the next line.
            if byte == UInt8(ascii: "\n") {
                plain.append(byte)
                (lineStart, isReturned, escape) = (plain.count, false, .none)
                continue
            }
            guard escape == .none else {
                escape = after(escape, byte)
                continue
            }
            switch byte {
            case 0x1B: escape = .begun
            case UInt8(ascii: "\r"): isReturned = true
            case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...:
                if isReturned { plain.removeSubrange(lineStart...) }
                isReturned = false
                plain.append(byte)
            default: break
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func after(_ escape: Escape, _ byte: UInt8) -> Escape {
        switch (escape, byte) {
        case (_, 0x1B): .begun
        case (.begun, UInt8(ascii: "[")): .control
        case (.begun, UInt8(ascii: "]")), (.begun, UInt8(ascii: "P")), (.begun, UInt8(ascii: "_")), (.begun, UInt8(ascii: "^")):
            .string
        // One more letter names the character set.
        case (.begun, 0x20...0x2F): .begun
        case (.control, 0x40...0x7E), (.string, 0x07), (.begun, _): .none
        default: escape
        }
    }
}
