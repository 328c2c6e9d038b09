internal import RelayProtocol

/// Shortens long text, visibly, and never within a character.
package enum TextCut {
    package static let marker = "… ⟨cut⟩"

    /// Cuts `text` so that its JSON string has at most `bytesMax` bytes between the quotes.
    package static func fit(_ text: String, bytesMax: Int) -> (text: String, isCut: Bool) {
        if fits(text, bytesMax) { return (text, false) }
        return (String(prefix(text, bytesMax: bytesMax - marker.utf8.count)) + marker, true)
    }

    /// Keeps the beginning and the end: both matter in a program's output.
    package static func middle(_ text: String, bytesMax: Int) -> String {
        if fits(text, bytesMax) { return text }
        let half = (bytesMax - marker.utf8.count - 4) / 2
        return "\(prefix(text, bytesMax: half))\n\(marker)\n\(suffix(text, bytesMax: half))"
    }

    /// The last line at the end of a text that is not blank.
    package static func lastLine(_ text: String) -> String {
        let tail = rough(tailOf: text, bytesMax: WireLimits.lineBytesMax)
        return tail.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? ""
    }

    // MARK: Before secrets are looked for

    /// The beginning, without a last half word: half a secret is not recognised.
    package static func rough(_ text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytesMax)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        let kept = text[..<end]
        guard let space = kept.utf8.suffix(wordBytes).lastIndex(where: isSpace) else { return String(kept) }
        return String(text[..<space])
    }

    package static func rough(tailOf text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var start = text.utf8.index(text.endIndex, offsetBy: -bytesMax)
        while start.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(after: &start) }
        let kept = text[start...]
        guard let space = kept.utf8.prefix(wordBytes).firstIndex(where: isSpace) else { return String(kept) }
        return String(text[space...])
    }

    /// Length of the longest secret in one word that is looked for.
    private static let wordBytes = 1 << 10

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    // MARK: Lines

    /// One line for lists: the first that is not blank, without control characters.
    package static func line(_ text: String, bytesMax: Int = WireLimits.lineBytesMax) -> String {
        // A scalar has at least one byte: more of them cannot be shown, so an endless line is not read to its end.
        let shown = text.unicodeScalars.drop(while: \.properties.isWhitespace).prefix(bytesMax + 16)
        let first = shown.prefix { !isLineEnd($0) }.filter { $0.value >= 32 && $0.value != 127 }
        return fit(trim(String(String.UnicodeScalarView(first))), bytesMax: bytesMax).text
    }

    package static func trim(_ text: String) -> String {
        var rest = text.unicodeScalars.drop(while: \.properties.isWhitespace)
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(String.UnicodeScalarView(rest))
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func fits(_ text: String, _ bytesMax: Int) -> Bool {
        let count = text.utf8.count
        // No byte needs more than six when it is written.
        return count * 6 <= bytesMax || (count <= bytesMax && text.utf8.reduce(0) { $0 + escapedBytes($1) } <= bytesMax)
    }

    /// Cuts a longer text. A last character that may be incomplete is removed.
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
