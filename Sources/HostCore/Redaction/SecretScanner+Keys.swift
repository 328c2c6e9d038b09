/// Private keys: each line of one is hidden, whatever surrounds the lines (indents, quotes, signs of a diff, line numbers,
/// escapes), even if the key's beginning or end is missing.
extension SecretScanner {
    /// Shortest line of a key. Lines have 64 characters and more, but for the last.
    private static let lineBytesMin = 40
    /// Shortest first line of a key; a small key has no other.
    private static let firstLineBytesMin = 24
    /// Longest header between a key's first word and its lines: `Proc-Type`, `DEK-Info` and a comment.
    private static let headerBytesMax = 240
    /// Longest gap between two lines of a key: indents, quotes, a line number.
    private static let gapBytesMax = 96
    private static let labelBytesMax = 48
    /// Line widths of `openssl`, `ssh-keygen` and `base64`.
    private static let lineWidths: Set<Int> = [64, 70, 76]

    /// `isExcerpt`: the text may begin and end anywhere, also within a key.
    mutating func findPrivateKeys(isExcerpt: Bool) {
        var index = 0
        /// Everything before this index has been searched.
        var floor = 0
        while index < bytes.count {
            let next: Int? =
                switch bytes[index] {
                case UInt8(ascii: "-") where starts("-----BEGIN ", at: index) || starts("---- BEGIN ", at: index):
                    markerEnd(index + 11).map { hideLines(from: $0, gapMax: Self.headerBytesMax) }
                case UInt8(ascii: "-") where starts("-----END ", at: index):
                    markerEnd(index + 9).map {
                        hideLines(before: index, floor: floor, isExcerpt: isExcerpt)
                        return $0
                    }
                // The lines of a PuTTY key.
                case UInt8(ascii: "P") where starts("Private-Lines: ", at: index):
                    hideLines(from: index + 15, gapMax: Self.gapBytesMax)
                case UInt8(ascii: "U"), UInt8(ascii: "B"), UInt8(ascii: "Q"): encodedKey(at: index, floor: floor)
                default: nil
                }
            index = next ?? index + 1
            if next != nil { floor = index }
        }
        if isExcerpt { hideLonelyLines() }
    }

    /// Index after `RSA PRIVATE KEY-----`, or another marker of something as secret.
    private func markerEnd(_ start: Int) -> Int? {
        let labelEnd = end(from: start, max: Self.labelBytesMax) { $0 != UInt8(ascii: "-") && $0 >= 32 }
        guard byte(labelEnd) == UInt8(ascii: "-") else { return nil }
        let label = String(decoding: bytes[start..<labelEnd], as: UTF8.self)
        let isSecret = label.contains("PRIVATE KEY") || label.contains("OpenVPN Static key")
        return isSecret ? end(from: labelEnd, max: 5) { $0 == UInt8(ascii: "-") } : nil
    }

    // MARK: - Forwards

    /// Hides the lines of a key that begins before `start`. Returns the index at which to continue: after the key's last word, or
    /// when no line has come for too long.
    private mutating func hideLines(from start: Int, gapMax: Int) -> Int {
        var index = start
        var gapStart = start
        var gapMax = gapMax
        var hasBroken = false
        /// A short word that ends a line: the key's last line, or no part of the key.
        var short: Range<Int>?
        var isWithin = false
        while index < bytes.count, index - gapStart <= gapMax {
            if starts("-----END ", at: index) || starts("---- END ", at: index) {
                if isWithin, let short { hideLine(short) }
                return index + 9
            }
            if starts("-----BEGIN ", at: index) { break }
            if starts("DEK-Info: ", at: index) || starts("Version: ", at: index) { hasBroken = true }
            if let breakEnd = lineBreakEnd(index) {
                hasBroken = true
                index = breakEnd
                continue
            }
            guard Self.isBase64(bytes[index]) else {
                index += 1
                continue
            }
            let word = index..<end(from: index, while: Self.isBase64)
            index = word.upperBound
            let isOneBlankAway = word.lowerBound == start + 1
            if isWithin
                ? word.count >= Self.lineBytesMin || isFirstLine(word) : (hasBroken || isOneBlankAway) && isFirstLine(word)
            {
                if isWithin, let short { hideLine(short) }
                hideLine(word)
                (isWithin, short, gapStart, gapMax) = (true, nil, index, Self.gapBytesMax)
            } else if isWithin, short == nil, bytes[word].contains(where: Self.isAlphanumeric), endsLine(index) {
                short = word
            }
        }
        // The text ends within a line of the key.
        if isWithin, let short, index >= bytes.count { hideLine(short) }
        return index
    }

    /// True if only quotes and the like come before the next line.
    private func endsLine(_ start: Int) -> Bool {
        for index in start..<min(start + 6, bytes.count) {
            if lineBreakEnd(index) != nil { return true }
            if Self.isAlphanumeric(bytes[index]) { return false }
        }
        return true
    }

    /// True for the beginning of a key, as opposed to a path or a word.
    private func isFirstLine(_ word: Range<Int>) -> Bool {
        guard word.count >= Self.firstLineBytesMin else { return false }
        let line = bytes[word].prefix(Self.sampleBytes)
        let digits = line.count(where: Self.isDigit)
        let hasCapitals = line.contains { $0 >= 65 && $0 <= 90 }
        let hasSmall = line.contains { $0 >= 97 && $0 <= 122 }
        // A key in hexadecimal, as OpenVPN writes it.
        if !hasCapitals { return digits >= 4 && line.allSatisfy { Self.isDigit($0) || (97...102).contains($0) } }
        let slashes = line.count { $0 == UInt8(ascii: "/") }
        return hasSmall && (digits > 0 || line.count >= 48) && slashes <= max(3, line.count / 8)
    }

    /// Index after a line break or what represents it inside another text (`\n`, `%0A`), however often escaped; nil for none.
    private func lineBreakEnd(_ index: Int) -> Int? {
        switch bytes[index] {
        case 10, 13: return index + 1
        case UInt8(ascii: "\\"):
            let letter = end(from: index) { $0 == UInt8(ascii: "\\") }
            switch byte(letter) {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return letter + 1
            default: return letter
            }
        case UInt8(ascii: "%") where starts("%0A", at: index) || starts("%0D", at: index): return index + 3
        default: return nil
        }
    }

    // MARK: - Backwards

    /// Hides the lines of a key whose beginning is missing.
    private mutating func hideLines(before end: Int, floor: Int, isExcerpt: Bool) {
        var words: [Range<Int>] = []
        var index = end
        var gapStart = end
        while index > floor, gapStart - index <= Self.gapBytesMax {
            guard Self.isBase64(bytes[index - 1]) else {
                index -= 1
                continue
            }
            var start = index
            while start > floor, Self.isBase64(bytes[start - 1]) { start -= 1 }
            let wordEnd = index
            index = start
            // Skips the letter of an escape.
            if start > floor, bytes[start - 1] == UInt8(ascii: "\\") { start += 1 }
            let word = start..<max(start, wordEnd)
            let isLine = word.count >= Self.lineBytesMin || isFirstLine(word)
            if isLine || words.isEmpty && !word.isEmpty {
                words.append(word)
                gapStart = index
            } else if !word.isEmpty, word.count > 8 {
                break
            }
        }
        guard words.contains(where: isFirstLine) || isExcerpt && words.allSatisfy(isAlone) else { return }
        for word in words.reversed() { hideLine(word) }
    }

    /// Hides lines of a key of which both ends are missing, and the short line after them.
    private mutating func hideLonelyLines() {
        var index = 0
        var isBehindLine = false
        while index < bytes.count {
            guard Self.isBase64(bytes[index]) else {
                index += 1
                continue
            }
            let word = index..<end(from: index, while: Self.isBase64)
            index = word.upperBound
            let hasDigit = bytes[word].contains(where: Self.isDigit)
            let isLine = Self.lineWidths.contains(word.count) && hasDigit && isFirstLine(word)
            if isLine || isBehindLine && isAlone(word) { hideLine(word) }
            isBehindLine = isLine
        }
    }

    /// True if the word fills its line and is long enough to judge.
    private func isAlone(_ word: Range<Int>) -> Bool {
        var start = word.lowerBound
        while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
        return word.count >= 4 && (start == 0 || bytes[start - 1] == 10) && endsLine(word.upperBound)
    }

    // MARK: - In base64

    /// `PRIVATE KEY` in base64, at each of its three possible offsets in a group.
    private static let encodedLabels: [StaticString] = ["UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"]

    /// Hides a key file that was encoded in base64 once more. Returns the index at which to continue.
    private mutating func encodedKey(at index: Int, floor: Int) -> Int? {
        guard Self.encodedLabels.contains(where: { startsAcrossLines($0, at: index) }) else { return nil }
        var start = index
        while start > floor, Self.isBase64(bytes[start - 1]) { start -= 1 }
        let wordEnd = end(from: index, while: Self.isBase64)
        hideLine(start..<wordEnd)
        return hideLines(from: wordEnd, gapMax: Self.gapBytesMax)
    }

    private func startsAcrossLines(_ text: StaticString, at start: Int) -> Bool {
        var index = start
        for offset in 0..<text.utf8CodeUnitCount {
            if offset > 0 { index = end(from: index, max: 4) { $0 == 10 || $0 == 13 } }
            // A static string's bytes live as long as the program.
            guard unsafe byte(index) == text.utf8Start[offset] else { return false }
            index += 1
        }
        return true
    }

    // MARK: - Hiding

    private static func isBase64(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }

    /// Hides a line, under one mark with the line before if nothing is between them.
    private mutating func hideLine(_ line: Range<Int>) {
        if let last = lastKeyLine, last.upperBound <= line.lowerBound {
            var index = last.upperBound
            while index < line.lowerBound {
                guard let next = lineBreakEnd(index) ?? (Self.isBlank(bytes[index]) ? index + 1 : nil) else { break }
                index = next
            }
            if index == line.lowerBound { hide(last.upperBound..<line.lowerBound) }
        }
        hide(line)
        lastKeyLine = line
    }
}
