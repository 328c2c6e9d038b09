/// Finds the places of secrets in a text.
///
/// Each pass reads the text once and continues after what it found; its look-ahead is bounded. So a hostile megabyte costs as much
/// as an honest one.
struct SecretScanner {
    /// A quoted value longer than this is not a secret, or its quote is not one.
    static let quotedBytesMax = 4096
    /// Bytes of a value that are examined to judge it.
    static let sampleBytes = 128

    let bytes: [UInt8]
    private var found: [Range<Int>] = []
    /// Index from which no JSON Web Token can begin any more.
    var noWebTokenBefore = 0
    /// The last hidden line of a key, so that lines with nothing between them get one mark.
    var lastKeyLine: Range<Int>?

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The places of secrets, in order, none touching another. `isExcerpt`: the text may begin and end within a private key.
    static func secrets(in bytes: [UInt8], isExcerpt: Bool = false) -> [Range<Int>] {
        // The shortest text with a name and a secret is `pwd=x`.
        guard bytes.count >= 5 else { return [] }
        var scanner = SecretScanner(bytes)
        scanner.findShapes()
        scanner.findPrivateKeys(isExcerpt: isExcerpt)
        scanner.findURLPasswords()
        scanner.findAssignments()
        scanner.findArguments()
        scanner.findCommands()
        scanner.findStatements()
        scanner.findHooks()
        return scanner.merged()
    }

    private func merged() -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Hides a secret whose alphabet is known.
    mutating func hide(_ range: Range<Int>) { found.append(range) }

    /// Hides a value of any alphabet; shell operators in it stay visible.
    mutating func hideValue(_ range: Range<Int>) { found += Self.plainSpans(in: bytes, range) }

    // MARK: - What may be hidden

    /// The parts of a value that every shell reads as part of one word.
    static func plainSpans(in bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var spans: [Range<Int>] = []
        var start = range.lowerBound
        for index in range where isOperator(bytes[index]) {
            if index > start { spans.append(start..<index) }
            start = index + 1
        }
        if range.upperBound > start { spans.append(start..<range.upperBound) }
        return spans
    }

    static func isOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...32, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: ";"), UInt8(ascii: "|"),
            UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "$"), UInt8(ascii: "\\"), 127:
            true
        default: false
        }
    }

    /// True unless the value is a reference to a secret, a placeholder, a pattern, a constant, a path or an address: those help the
    /// person and give nothing away. A password inside an address is found separately.
    static func isWorthHiding(_ value: ArraySlice<UInt8>) -> Bool {
        guard let first = value.first else { return false }
        if first == UInt8(ascii: "$") {
            let rest = value.dropFirst()
            if rest.first == UInt8(ascii: "(") || rest.first == UInt8(ascii: "{") { return false }
            return !rest.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
        }
        switch first {
        case UInt8(ascii: "`"), UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "^"):
            return false
        case UInt8(ascii: "%") where value.count == 2 || value.dropFirst().first == UInt8(ascii: "("): return false
        default: break
        }
        if value.starts(with: "⟨".utf8) || isAddress(value) || !value.contains(where: { isAlphanumeric($0) || $0 >= 0x80 }) {
            return false
        }
        if value.count >= 3, !isDigit(first), value.allSatisfy({ $0 == first }) { return false }
        if value.count <= placeholderBytesMax, !value.contains(where: isDigit), placeholders.contains(lowercased(value)) {
            return false
        }
        return !isPath(value)
    }

    private static let placeholderBytesMax = 16
    private static let placeholders: Set<String> = [
        "true", "false", "null", "none", "nil", "undefined", "yes", "no", "string", "str", "int", "bool", "bytes", "number",
        "any", "optional", "required", "redacted", "[redacted]", "changeme", "string?", "void", "self", "***", "...",
    ]

    private static func isAddress(_ value: ArraySlice<UInt8>) -> Bool {
        let scheme = value.prefix(placeholderBytesMax).prefix(while: isLetter)
        return !scheme.isEmpty && value.dropFirst(scheme.count).starts(with: "://".utf8)
    }

    private static func isPath(_ value: ArraySlice<UInt8>) -> Bool {
        guard
            value.starts(with: "/".utf8) || value.starts(with: "./".utf8) || value.starts(with: "../".utf8)
                || value.starts(with: "~/".utf8)
        else { return false }
        let sample = value.prefix(sampleBytes)
        // Base64 may begin with a slash too.
        let isEncoded =
            sample.count >= 32 && !sample.contains(UInt8(ascii: ".")) && sample.contains(where: isDigit)
            && sample.contains { $0 >= 65 && $0 <= 90 }
        return !isEncoded && (sample.contains(UInt8(ascii: ".")) || sample.dropFirst().contains(UInt8(ascii: "/")))
    }

    // MARK: - Bytes

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 97 && (byte | 0x20) <= 122 }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    func byte(_ index: Int) -> UInt8? { index >= 0 && index < bytes.count ? bytes[index] : nil }

    func starts(_ text: StaticString, at index: Int, ignoringCase: Bool = false) -> Bool {
        guard index >= 0, index + text.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount {
            // A static string's bytes live as long as the program.
            let wanted = unsafe text.utf8Start[offset]
            let actual = bytes[index + offset]
            if actual != wanted, !ignoringCase || !Self.isLetter(actual) || actual | 0x20 != wanted { return false }
        }
        return true
    }

    /// The first index from `start` on whose byte is not accepted.
    func end(from start: Int, max: Int = .max, while accepts: (UInt8) -> Bool) -> Int {
        var index = start
        let limit = max < bytes.count - start ? start + max : bytes.count
        while index < limit, accepts(bytes[index]) { index += 1 }
        return index
    }
}
