/// The simple commands in a shell command, also those in substitutions and in strings that are passed to shells, so that risky ones
/// can be named.
///
/// It knows the common half of the language: its errors are a missing warning, or one too many. Its time grows only with the text.
struct ShellCommands {
    struct Simple: Equatable {
        var words: [String]
        /// True if the command reads the output of the one before it.
        var isPiped: Bool
    }

    private struct Outer {
        var words: [[UInt8]]
        var word: [UInt8]?
        var isPiped: Bool
        var closer: UInt8
    }

    /// Depth to which commands in strings of commands (`sh -c "…"`) are read.
    private static let nestingMax = 4
    /// Depth of substitutions inside substitutions; deeper ones count as part of the one around them.
    private static let substitutionsMax = 32
    /// Programs that run a string as a command.
    private static let runners: Set<String> = [
        "sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "ssh", "su", "xargs", "watch", "parallel", "docker", "podman",
        "kubectl",
    ]

    private let text: [UInt8]
    private let nesting: Int
    private var commands: [Simple] = []
    private var words: [[UInt8]] = []
    private var word: [UInt8]?
    private var isPiped = false
    /// The commands around the current substitution.
    private var outer: [Outer] = []

    static func all(in text: [UInt8]) -> [Simple] { read(text, nesting: 0) }

    /// The name without its folder: `rm` for `/bin/rm`.
    static func baseName(_ word: String) -> String {
        String(word[(word.lastIndex(of: "/").map(word.index(after:)) ?? word.startIndex)...])
    }

    private static func read(_ text: [UInt8], nesting: Int) -> [Simple] {
        var reader = ShellCommands(text, nesting: nesting)
        var index = 0
        while index < text.count { index = reader.read(at: index) + 1 }
        while !reader.outer.isEmpty { reader.close() }
        reader.endCommand(isPiped: false)
        return reader.commands
    }

    private init(_ text: [UInt8], nesting: Int) {
        self.text = text
        self.nesting = nesting
    }

    private func byte(_ index: Int) -> UInt8? { text.indices.contains(index) ? text[index] : nil }

    /// Reads one element. Returns the index of the last byte that was read.
    private mutating func read(at index: Int) -> Int {
        let (byte, next) = (text[index], byte(index + 1))
        switch byte {
        case UInt8(ascii: "\\"):
            if next != UInt8(ascii: "\n") { add(next.map { [$0] } ?? []) }
            return index + 1
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return quoted(from: index, by: byte)
        case UInt8(ascii: "`"):
            if outer.last?.closer == byte { close() } else { open(closer: byte) }
        case UInt8(ascii: "$") where next == UInt8(ascii: "("), UInt8(ascii: "<") where next == UInt8(ascii: "("),
            UInt8(ascii: ">") where next == UInt8(ascii: "("):
            add([byte] + Array("()".utf8))
            open(closer: UInt8(ascii: ")"))
            return index + 1
        case UInt8(ascii: ")") where outer.last?.closer == byte: close()
        case UInt8(ascii: "|"):
            endCommand(isPiped: next != byte)
            return next == byte || next == UInt8(ascii: "&") ? index + 1 : index
        case UInt8(ascii: "&") where next == UInt8(ascii: ">") || self.byte(index - 1) == UInt8(ascii: ">"): break
        case UInt8(ascii: ">"), UInt8(ascii: "<"):
            endWord()
            if words.last != [byte] { words.append([byte]) }
        case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\n"):
            endCommand(isPiped: false)
        case UInt8(ascii: " "), UInt8(ascii: "\t"): endWord()
        default: add([byte])
        }
        return index
    }

    private mutating func quoted(from index: Int, by quote: UInt8) -> Int {
        let isDouble = quote == UInt8(ascii: "\"")
        var end = index + 1
        while end < text.count, text[end] != quote { end += isDouble && text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let string = text[min(index + 1, text.count)..<min(end, text.count)]
        add(Array(string))
        if isDouble, nesting < Self.nestingMax, let place = substitution(in: string) {
            commands += Self.read(Array(string[place...]), nesting: nesting + 1)
        }
        return end
    }

    private func substitution(in string: ArraySlice<UInt8>) -> Int? {
        string.indices.first { index in
            string[index] == UInt8(ascii: "`")
                || (string[index] == UInt8(ascii: "$") && index + 1 < string.endIndex && string[index + 1] == UInt8(ascii: "("))
        }
    }

    private mutating func open(closer: UInt8) {
        guard outer.count < Self.substitutionsMax else { return }
        outer.append(Outer(words: words, word: word, isPiped: isPiped, closer: closer))
        (words, word, isPiped) = ([], nil, false)
    }

    private mutating func close() {
        endCommand(isPiped: false)
        guard let around = outer.popLast() else { return }
        (words, word, isPiped) = (around.words, around.word, around.isPiped)
    }

    private mutating func add(_ bytes: [UInt8]) {
        if word == nil { word = [] }
        word?.append(contentsOf: bytes)
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }

    /// Ends a simple command. `isPiped`: the next one reads its output.
    private mutating func endCommand(isPiped isNextPiped: Bool) {
        endWord()
        if !words.isEmpty {
            let said = words.map { String(decoding: $0, as: UTF8.self) }
            commands.append(Simple(words: said, isPiped: isPiped))
            // `sh -c "…"`, `eval "…"`, `ssh host "…"`: a string with a blank in it may be a command.
            if nesting < Self.nestingMax, said.contains(where: { Self.runners.contains(Self.baseName($0)) }) {
                for word in words where word.contains(UInt8(ascii: " ")) { commands += Self.read(word, nesting: nesting + 1) }
            }
        }
        (words, isPiped) = ([], isNextPiped)
    }
}
