/// A shell command that is plain enough for each of its words to be understood: simple commands of words, quotes, `$NAME`s and
/// redirections, joined by `;`, `&`, `|` and line ends. Nil if the text contains anything else: a substitution, a here-document, a
/// brace, an array, a comment, a keyword, a control character.
struct PlainCommand: Equatable {
    struct Word: Equatable {
        /// The word without its quotes.
        var text: [UInt8] = []
        /// Index in the command of each byte of `text`.
        var places: [Int] = []
        /// True if the word contains a `$NAME`, or a pattern that the shell may replace by file names.
        var isExpanded = false
        var isQuoted = false
        /// True if the word is the target or the source of a redirection.
        var isTarget = false

        /// The word's text if no shell changes it.
        var string: String? { isExpanded ? nil : String(decoding: text, as: UTF8.self) }
    }

    /// The words of a simple command, and what ends it: nothing, `;`, `&`, `&&`, `|`, `||` or a line end.
    struct Simple: Equatable {
        var words: [Word] = []
        var end = ""
    }

    private(set) var commands: [Simple] = []

    private static let keywords: Set<String> = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "function", "select",
        "time",
        "coproc", "[[", "]]", "!",
    ]

    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard reader.read() else { return nil }
        commands = reader.commands
        let begins = commands.compactMap(\.words.first)
        guard !begins.contains(where: { !$0.isQuoted && Self.keywords.contains(String(decoding: $0.text, as: UTF8.self)) })
        else {
            return nil
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var commands: [Simple] = []
        private var simple = Simple()
        private var index = 0
        private var awaitsTarget = false

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func read() -> Bool {
            while index < bytes.count {
                switch bytes[index] {
                case 32, 9: index += 1
                case UInt8(ascii: "\\") where byte(1) == 10: index += 2
                case 10, UInt8(ascii: ";"), UInt8(ascii: "|"): guard readEnd() else { return false }
                case UInt8(ascii: "&"):
                    if byte(1) == UInt8(ascii: ">") {
                        index += 1
                        guard readRedirection() else { return false }
                    } else if !readEnd() {
                        return false
                    }
                case UInt8(ascii: "<"), UInt8(ascii: ">"): guard readRedirection() else { return false }
                case UInt8(ascii: "#"): return false
                default: guard readWord() else { return false }
                }
            }
            guard !awaitsTarget else { return false }
            commands.append(simple)
            return true
        }

        private func byte(_ offset: Int) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

        private mutating func readEnd() -> Bool {
            guard !awaitsTarget else { return false }
            var end = [bytes[index]]
            // `;;` and `|&` are not plain, so they are refused.
            if end[0] != 10, let next = byte(1), next == end[0] || next == UInt8(ascii: "&") {
                guard next == end[0], next != UInt8(ascii: ";") else { return false }
                end.append(next)
            }
            index += end.count
            simple.end = String(decoding: end, as: UTF8.self)
            commands.append(simple)
            simple = Simple()
            return true
        }

        /// Reads a redirection: `>`, `>>`, `>|`, `<`, `>&`, `<&`. Here-documents and process substitutions are not plain.
        private mutating func readRedirection() -> Bool {
            guard !awaitsTarget else { return false }
            let first = bytes[index]
            index += 1
            switch byte(0) {
            case UInt8(ascii: "<"), UInt8(ascii: "("): return false
            case UInt8(ascii: ">") where first == UInt8(ascii: "<"): return false
            case UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "|"): index += 1
            default: break
            }
            awaitsTarget = true
            return true
        }

        private mutating func readWord() -> Bool {
            var word = Word()
            word.isTarget = awaitsTarget
            awaitsTarget = false
            reading: while let next = byte(0) {
                switch next {
                case 32, 9, 10, UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"):
                    break reading
                case UInt8(ascii: "'"), UInt8(ascii: "\""): guard readQuoted(next, &word) else { return false }
                case UInt8(ascii: "$"): guard readName(&word) else { return false }
                case UInt8(ascii: "\\"):
                    guard let escaped = byte(1) else { return false }
                    if escaped != 10 {
                        index += 1
                        take(&word)
                    } else {
                        index += 2
                    }
                case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "~"), UInt8(ascii: "^"),
                    UInt8(ascii: "="):
                    // zsh's `=command`, home directories and patterns are expanded.
                    let isExpanded = next != UInt8(ascii: "=") || word.text.isEmpty
                    word.isExpanded = word.isExpanded || isExpanded
                    take(&word)
                case 0..<32, 127, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "`"):
                    return false
                default: take(&word)
                }
            }
            simple.words.append(word)
            return true
        }

        private mutating func take(_ word: inout Word) {
            word.text.append(bytes[index])
            word.places.append(index)
            index += 1
        }

        private mutating func readQuoted(_ quote: UInt8, _ word: inout Word) -> Bool {
            word.isQuoted = true
            index += 1
            while let next = byte(0) {
                if next == quote {
                    index += 1
                    return true
                }
                switch next {
                case 0..<9, 11..<32, 127: return false
                case UInt8(ascii: "`") where quote == UInt8(ascii: "\""): return false
                case UInt8(ascii: "$") where quote == UInt8(ascii: "\""): guard readName(&word) else { return false }
                case UInt8(ascii: "\\") where quote == UInt8(ascii: "\""):
                    guard let escaped = byte(1) else { return false }
                    if escaped == 10 {
                        index += 2
                        continue
                    }
                    if "$`\"\\".utf8.contains(escaped) { index += 1 }
                    take(&word)
                default: take(&word)
                }
            }
            return false
        }

        /// Reads `$NAME`, `${NAME}`, `$1`, `$?`, or a `$` alone.
        private mutating func readName(_ word: inout Word) -> Bool {
            word.isExpanded = true
            let isBraced = byte(1) == UInt8(ascii: "{")
            var end = index + (isBraced ? 2 : 1)
            let start = end
            while end < bytes.count, SecretScanner.isAlphanumeric(bytes[end]) || bytes[end] == UInt8(ascii: "_") { end += 1 }
            if isBraced {
                guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "}") else { return false }
                end += 1
            } else if end == start, end < bytes.count, "('\"[".utf8.contains(bytes[end]) {
                return false
            }
            while index < end { take(&word) }
            return true
        }
    }
}
