internal import RelayProtocol

/// Shortens what is too long, visibly, and never within a character.
enum TextCut {
    static let marker = "… ⟨cut⟩"

    /// `text` so that its JSON string has at most `bytesMax` bytes between the quotes.
    static func fit(_ text: String, bytesMax: Int) -> (text: String, isCut: Bool) {
        if fits(text, bytesMax) { return (text, false) }
        return (String(prefix(text, bytesMax: bytesMax - marker.utf8.count)) + marker, true)
    }

    /// Keeps the beginning and the end: of what a program printed both matter.
    static func middle(_ text: String, bytesMax: Int) -> String {
        if fits(text, bytesMax) { return text }
        let half = (bytesMax - marker.utf8.count - 4) / 2
        return "\(prefix(text, bytesMax: half))\n\(marker)\n\(suffix(text, bytesMax: half))"
    }

    /// One line for lists: the first that says something, without control characters.
    static func line(_ text: String, bytesMax: Int = WireLimits.lineBytesMax) -> String {
        let first = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
        let visible = String.UnicodeScalarView(first.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 })
        return fit(trim(String(visible)), bytesMax: bytesMax).text
    }

    static func trim(_ text: String) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    private static func fits(_ text: String, _ bytesMax: Int) -> Bool {
        let count = text.utf8.count
        // No byte is written longer than six.
        return count * 6 <= bytesMax || (count <= bytesMax && text.utf8.reduce(0) { $0 + escapedBytes($1) } <= bytesMax)
    }

    /// Of a text that is longer than that. The last character may be half there, so it goes.
    private static func prefix(_ text: String, bytesMax: Int) -> Substring {
        var left = bytesMax
        var end = text.utf8.startIndex
        while end < text.utf8.endIndex {
            left -= escapedBytes(text.utf8[end])
            if left < 0 { break }
            text.utf8.formIndex(after: &end)
        }
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return text[..<end].dropLast()
    }

    private static func suffix(_ text: String, bytesMax: Int) -> Substring {
        var left = bytesMax
        var start = text.utf8.endIndex
        while start > text.utf8.startIndex {
            let before = text.utf8.index(before: start)
            left -= escapedBytes(text.utf8[before])
            if left < 0 { break }
            start = before
        }
        while start.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(after: &start) }
        return text[start...].dropFirst()
    }

    private static func escapedBytes(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x09, 0x0A, 0x0D: 2
        case 0..<0x20, 0x7F: 6
        default: 1
        }
    }
}
