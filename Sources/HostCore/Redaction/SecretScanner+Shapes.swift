/// Secrets recognised by their own shape, whatever surrounds them.
extension SecretScanner {
    /// Bytes of a shape that are enough to judge it. A hostile text may have one prefix after another.
    private static let shapeSampleBytes = 64

    mutating func findShapes() {
        let table = SecretShape.byFirstByte
        var index = 0
        var isBoundary = true
        while index < bytes.count {
            let byte = bytes[index]
            if isBoundary, let end = secretEnd(at: index, table) {
                hide(end.start..<end.end)
                index = end.end
                isBoundary = false
                continue
            }
            isBoundary = !Self.isAlphanumeric(byte) && byte != UInt8(ascii: "_") || isEscapeEnd(index)
            index += 1
        }
    }

    /// True if this letter ends an escape (`
    /// `, `%3D`, a colour), or is the prefix that Telegram puts before a token, and so is no part of a word.
    private func isEscapeEnd(_ index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "n"), UInt8(ascii: "r"): if byte(index - 1) == UInt8(ascii: "\\") { return true }
        case UInt8(ascii: "t"): if byte(index - 1) == UInt8(ascii: "\\") || starts("/bo", at: index - 3) { return true }
        case UInt8(ascii: "m"):
            var start = index
            while start > 0, index - start < 16, Self.isDigit(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: ";") {
                start -= 1
            }
            if byte(start - 1) == UInt8(ascii: "["), byte(start - 2) == 27 { return true }
        default: break
        }
        return byte(index - 2) == UInt8(ascii: "%") && SecretShape.Alphabet.hexadecimal.contains(bytes[index])
    }

    private mutating func secretEnd(at index: Int, _ table: [[SecretShape]]) -> (start: Int, end: Int)? {
        let first = bytes[index]
        for shape in table[Int(first)] where starts(shape.prefix, at: index) {
            let start = index + shape.prefix.utf8CodeUnitCount
            let sampleEnd = end(from: start, max: max(Self.shapeSampleBytes, shape.lengthMin), while: shape.alphabet.contains)
            guard sampleEnd - start >= shape.lengthMin, looksRandom(start..<sampleEnd) else { continue }
            return (index, trimmed(end(from: sampleEnd, while: shape.alphabet.contains), from: start))
        }
        switch first {
        case UInt8(ascii: "e"): return webToken(at: index)
        case UInt8(ascii: "h"): return ownToken(at: index)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return bearerToken(at: index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return botToken(at: index)
        default: return nil
        }
    }

    /// End of the secret without full stops, which belong to the sentence.
    private func trimmed(_ end: Int, from start: Int) -> Int {
        var end = end
        while end > start, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return end
    }

    /// True if a piece between dashes is long and has a digit or both cases: `sk-learn-contrib-helpers` has none.
    private func looksRandom(_ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            let pieceEnd = end(from: start, max: range.upperBound - start) {
                Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_")
            }
            let piece = bytes[start..<pieceEnd]
            let hasBothCases = piece.contains { $0 >= 65 && $0 <= 90 } && piece.contains { $0 >= 97 }
            let isMixed = hasBothCases || piece.contains(where: Self.isDigit)
            if piece.count >= 10, isMixed { return true }
            start = pieceEnd + 1
        }
        return false
    }

    /// Prefixes of the shapes, for tests.
    static var shapePrefixes: [String] { SecretShape.table.map { "\($0.prefix)" } }

    /// A JSON Web Token: `eyJ….….…`; the last part may be empty.
    ///
    /// If no token begins at the first byte of a part, none begins at a later byte of it, so the part is not read again.
    private mutating func webToken(at index: Int) -> (start: Int, end: Int)? {
        guard index >= noWebTokenBefore, starts("eyJ", at: index) else { return nil }
        func isPart(_ byte: UInt8) -> Bool {
            Self.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        let header = end(from: index, while: isPart)
        noWebTokenBefore = header
        guard header - index >= 10, byte(header) == UInt8(ascii: ".") else { return nil }
        let payload = end(from: header + 1, while: isPart)
        guard payload - header > 8, byte(payload) == UInt8(ascii: ".") else { return nil }
        return (index, trimmed(end(from: payload) { isPart($0) || $0 == UInt8(ascii: ".") }, from: index))
    }

    /// A token of Heliograph's own: `hgh_…`, `hgc_…` and the like.
    private func ownToken(at index: Int) -> (start: Int, end: Int)? {
        guard byte(index + 1) == UInt8(ascii: "g"), byte(index + 2).map(Self.isLetter) == true,
            byte(index + 3) == UInt8(ascii: "_")
        else { return nil }
        let start = index + 4
        let sampleEnd = end(from: start, max: Self.shapeSampleBytes, while: SecretShape.Alphabet.dotted.contains)
        guard sampleEnd - start >= 16, looksRandom(start..<sampleEnd) else { return nil }
        return (index, trimmed(end(from: sampleEnd, while: SecretShape.Alphabet.dotted.contains), from: start))
    }

    /// The token after `Bearer`, wherever it is; the word itself stays.
    private func bearerToken(at index: Int) -> (start: Int, end: Int)? {
        guard starts("bearer", at: index, ignoringCase: true), byte(index + 6) == 32 else { return nil }
        func isToken(_ byte: UInt8) -> Bool {
            SecretShape.Alphabet.dotted.contains(byte) || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
        }
        let start = index + 7
        let sampleEnd = end(from: start, max: Self.shapeSampleBytes, while: isToken)
        guard sampleEnd - start >= 12, bytes[start..<sampleEnd].contains(where: Self.isDigit) else { return nil }
        return (start, trimmed(end(from: sampleEnd, while: isToken), from: start))
    }

    /// A Telegram bot's token: `123456789:AA…`.
    private func botToken(at index: Int) -> (start: Int, end: Int)? {
        let number = end(from: index, max: 11, while: Self.isDigit)
        guard (8...10).contains(number - index), starts(":AA", at: number) else { return nil }
        let tokenEnd = end(from: number + 1, max: Self.sampleBytes, while: SecretShape.Alphabet.dotted.contains)
        return (34...36).contains(tokenEnd - number - 1) ? (number + 1, tokenEnd) : nil
    }
}
