/// Shortens text with a visible mark and between characters. Sizes are in bytes of JSON.
package enum TextFit {
    static let mark = "…"

    /// `text` so that its JSON string has at most `bytesMax` bytes between the quotes; empty if not even the mark fits.
    package static func cut(_ text: String, bytesMax: Int) -> String {
        // JSON writes no byte longer than six.
        if text.utf8.count <= bytesMax / 6 || bytes(of: text) <= bytesMax { return text }
        var left = bytesMax - mark.utf8.count
        guard left >= 0 else { return "" }
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            left -= bytes(of: text[end..<next])
            if left < 0 { break }
            end = next
        }
        return String(text[..<end]) + mark
    }

    /// Several texts in `bytesMax` bytes together: the longest are cut first, all of them to the same length.
    package static func cut(_ texts: [String], bytesMax: Int) -> [String] {
        let length = longest(upTo: bytesMax) { length in
            texts.reduce(0) { $0 + bytes(of: cut($1, bytesMax: length)) } <= bytesMax
        }
        return texts.map { cut($0, bytesMax: length) }
    }

    /// The greatest length up to `max` that fits, given that every shorter one does, too; 0 if none does.
    package static func longest(upTo max: Int, fits: (Int) -> Bool) -> Int {
        if fits(max) { return max }
        var (fitting, tooLong) = (0, max)
        while tooLong - fitting > 1 {
            let middle = fitting + (tooLong - fitting) / 2
            if fits(middle) { fitting = middle } else { tooLong = middle }
        }
        return fitting
    }

    /// Size of the text as a JSON string, without the quotes.
    package static func bytes(of text: some StringProtocol) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x09, 0x0A, 0x0D: count + 2
            case 0..<0x20, 0x7F: count + 6
            default: count + 1
            }
        }
    }
}
