/// Secrets that are known by how they look, whatever stands around them.
extension SecretScanner {
    private enum Alphabet {
        case alphanumeric
        /// And `_`.
        case word
        /// And `_ - .`.
        case dotted

        func contains(_ byte: UInt8) -> Bool {
            if SecretScanner.isAlphanumeric(byte) { return true }
            switch self {
            case .alphanumeric: return false
            case .word: return byte == UInt8(ascii: "_")
            case .dotted: return byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
        }
    }

    private struct Shape {
        let prefix: StaticString
        let alphabet: Alphabet
        /// After the prefix; what is shorter is an example or a word.
        let lengthMin: Int

        init(_ prefix: StaticString, _ alphabet: Alphabet, _ lengthMin: Int) {
            self.prefix = prefix
            self.alphabet = alphabet
            self.lengthMin = lengthMin
        }
    }

    /// As much of a shape as its judgement needs; a prefix may follow upon a prefix in a hostile text.
    private static let shapeSampleBytes = 64

    private static let shapes: [Shape] = [
        // Cloud providers.
        Shape("AKIA", .alphanumeric, 16), Shape("ASIA", .alphanumeric, 16), Shape("ABIA", .alphanumeric, 16),
        Shape("ACCA", .alphanumeric, 16), Shape("AIza", .dotted, 35), Shape("ya29.", .dotted, 20),
        Shape("GOCSPX-", .dotted, 20), Shape("dop_v1_", .alphanumeric, 40), Shape("doo_v1_", .alphanumeric, 40),
        // Code forges and registries.
        Shape("ghp_", .alphanumeric, 30), Shape("gho_", .alphanumeric, 30), Shape("ghu_", .alphanumeric, 30),
        Shape("ghs_", .dotted, 30), Shape("ghr_", .alphanumeric, 30), Shape("github_pat_", .word, 22),
        Shape("glpat-", .dotted, 20), Shape("gldt-", .dotted, 20), Shape("glrt-", .dotted, 20), Shape("glcbt-", .dotted, 20),
        Shape("glptt-", .dotted, 20), Shape("glft-", .dotted, 20), Shape("gloas-", .dotted, 20), Shape("ATATT3", .dotted, 20),
        Shape("npm_", .alphanumeric, 30), Shape("pypi-", .dotted, 50), Shape("rubygems_", .alphanumeric, 40),
        Shape("dckr_pat_", .dotted, 20), Shape("hf_", .alphanumeric, 30), Shape("lin_api_", .alphanumeric, 30),
        // Messengers and payment.
        Shape("xoxb-", .dotted, 10), Shape("xoxp-", .dotted, 10), Shape("xoxa-", .dotted, 10), Shape("xoxr-", .dotted, 10),
        Shape("xoxs-", .dotted, 10), Shape("xoxe-", .dotted, 10), Shape("xoxe.", .dotted, 10), Shape("xoxc-", .dotted, 10),
        Shape("xoxd-", .dotted, 10), Shape("xapp-", .dotted, 10), Shape("sk_live_", .alphanumeric, 16),
        Shape("sk_test_", .alphanumeric, 16), Shape("rk_live_", .alphanumeric, 16), Shape("rk_test_", .alphanumeric, 16),
        Shape("whsec_", .alphanumeric, 16), Shape("SG.", .dotted, 40), Shape("shpat_", .alphanumeric, 32),
        Shape("shpss_", .alphanumeric, 32), Shape("shpca_", .alphanumeric, 32),
        // Models, vaults, observability.
        Shape("sk-", .dotted, 20), Shape("xai-", .dotted, 30), Shape("gsk_", .alphanumeric, 30), Shape("hvs.", .dotted, 24),
        Shape("hvb.", .dotted, 24), Shape("glsa_", .word, 30), Shape("AGE-SECRET-KEY-1", .alphanumeric, 50),
    ]

    /// The shapes by their first byte.
    private static let shapesByByte: [[Shape]] = {
        var table = [[Shape]](repeating: [], count: 256)
        // A static string's bytes live as long as the program.
        for shape in shapes { unsafe table[Int(shape.prefix.utf8Start[0])].append(shape) }
        return table
    }()

    mutating func findShapes() {
        let table = Self.shapesByByte
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
            isBoundary = !Self.isAlphanumeric(byte) && byte != UInt8(ascii: "_")
            index += 1
        }
    }

    private mutating func secretEnd(at index: Int, _ table: [[Shape]]) -> (start: Int, end: Int)? {
        let first = bytes[index]
        for shape in table[Int(first)] where starts(shape.prefix, at: index) {
            let start = index + shape.prefix.utf8CodeUnitCount
            let sampleEnd = end(from: start, max: Self.shapeSampleBytes, while: shape.alphabet.contains)
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

    /// A full stop at the end belongs to the sentence.
    private func trimmed(_ end: Int, from start: Int) -> Int {
        var end = end
        while end > start, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return end
    }

    /// A piece without dashes that is long and has a digit or both cases: `sk-learn-contrib-helpers` has none.
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

    /// What the shapes begin with, for tests.
    static var shapePrefixes: [String] { shapes.map { "\($0.prefix)" } }

    /// A JSON Web Token: `eyJ….….…`; the last part may be empty.
    ///
    /// What was no token from its first byte is none from a later byte of the same part, and is not walked again.
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

    /// One of ours: `hgh_…`, `hgc_…` and the like.
    private func ownToken(at index: Int) -> (start: Int, end: Int)? {
        guard byte(index + 1) == UInt8(ascii: "g"), byte(index + 2).map(Self.isLetter) == true,
            byte(index + 3) == UInt8(ascii: "_")
        else { return nil }
        let start = index + 4
        let sampleEnd = end(from: start, max: Self.shapeSampleBytes, while: Alphabet.dotted.contains)
        guard sampleEnd - start >= 16, looksRandom(start..<sampleEnd) else { return nil }
        return (index, trimmed(end(from: sampleEnd, while: Alphabet.dotted.contains), from: start))
    }

    /// The token after `Bearer`, wherever it stands; the word itself stays.
    private func bearerToken(at index: Int) -> (start: Int, end: Int)? {
        guard starts("bearer", at: index, ignoringCase: true), byte(index + 6) == 32 else { return nil }
        func isToken(_ byte: UInt8) -> Bool {
            Alphabet.dotted.contains(byte) || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
        }
        let start = index + 7
        let sampleEnd = end(from: start, max: Self.shapeSampleBytes, while: isToken)
        guard sampleEnd - start >= 12, bytes[start..<sampleEnd].contains(where: Self.isDigit) else { return nil }
        return (start, trimmed(end(from: sampleEnd, while: isToken), from: start))
    }

    /// A Telegram bot's: `123456789:AA…`.
    private func botToken(at index: Int) -> (start: Int, end: Int)? {
        let number = end(from: index, max: 11, while: Self.isDigit)
        guard (8...10).contains(number - index), starts(":AA", at: number) else { return nil }
        let tokenEnd = end(from: number + 1, max: Self.sampleBytes, while: Alphabet.dotted.contains)
        return (34...36).contains(tokenEnd - number - 1) ? (number + 1, tokenEnd) : nil
    }
}
