/// Reads a command line of a POSIX shell, bash or zsh into the simple commands that it runs.
///
/// It knows the part of the language that these shells read alike, and refuses the rest: `[[ ]]`, arithmetic, arrays, functions,
/// `select`, `coproc`, most operators in `${ }`. A line that is refused is put before a person. The shell is taken to be one that was
/// started for this line: history and aliases are off, `#` begins a comment.
struct ShellReader {
    /// Commands inside commands: subshells, loops, substitutions.
    static let depthMax = 24
    /// Here-documents that one line may announce.
    private static let hereDocumentsMax = 8

    private struct HereDocument {
        var delimiter: [UInt8]
        var isLiteral: Bool
        var stripsTabs: Bool
    }

    private enum Place { case word, quotes, hereDocument }

    private enum Stop: Equatable {
        case end, parenthesis, caseEnd
        case word(String)
    }

    private let bytes: [UInt8]
    private var index = 0
    private var depth: Int
    private var line = ShellLine()
    private var waiting: [HereDocument] = []

    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    mutating func readAll() throws(ShellProblem) -> ShellLine {
        guard bytes.count <= ShellLine.bytesMax else { throw problem("it is too long") }
        for (place, byte) in bytes.enumerated() where byte < 0x20 && byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\n") {
            index = place
            throw problem("it has a control character")
        }
        if let place = splitOperator {
            index = place
            throw problem("a line is joined within an operator")
        }
        guard try list(until: []) == .end else { throw problem("a parenthesis is closed that was not opened") }
        guard waiting.isEmpty else { throw problem("a here-document is missing") }
        return line
    }

    /// Shells remove a backslash and a newline before they look for operators: `$`, a joined line and `(` are a substitution to bash and
    /// none to zsh, `<<`, a joined line and `-` another here-document.
    private var splitOperator: Int? {
        bytes.indices.dropFirst(2).first { place in
            guard bytes[place] == UInt8(ascii: "\n"), bytes[place - 1] == UInt8(ascii: "\\") else { return false }
            var before = place - 2
            // Several lines joined in a row.
            while before >= 2, bytes[before] == UInt8(ascii: "\n"), bytes[before - 1] == UInt8(ascii: "\\") { before -= 2 }
            return Self.operatorBeginnings.contains(bytes[before])
        }
    }

    private static let operatorBeginnings = Set("$<>`({=".utf8)

    // MARK: Bytes

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }
    private func byte(ahead: Int) -> UInt8? { index + ahead < bytes.count ? bytes[index + ahead] : nil }
    private func isNext(_ text: StaticString) -> Bool {
        let wanted = Array("\(text)".utf8)
        return index + wanted.count <= bytes.count && bytes[index..<index + wanted.count].elementsEqual(wanted)
    }

    private func problem(_ sentence: String) -> ShellProblem { ShellProblem(sentence: sentence, offset: index) }

    private mutating func deeper<Value>(_ read: (inout ShellReader) throws(ShellProblem) -> Value) throws(ShellProblem) -> Value
    {
        guard depth < Self.depthMax else { throw problem("it nests too deep") }
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    /// Skips blanks, joined lines and a comment, but no newline.
    private mutating func skipBlanks() {
        while let byte {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                index += 1
            } else if byte == UInt8(ascii: "\\"), self.byte(ahead: 1) == UInt8(ascii: "\n") {
                index += 2
            } else if byte == UInt8(ascii: "#") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else {
                return
            }
        }
    }

    private mutating func newline() throws(ShellProblem) {
        index += 1
        let documents = waiting
        waiting = []
        for document in documents { try body(of: document) }
    }

    private mutating func skipNewlines() throws(ShellProblem) {
        skipBlanks()
        while byte == UInt8(ascii: "\n") {
            try newline()
            skipBlanks()
        }
    }

    // MARK: Lists

    private static let reserved: Set<String> = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "{", "}", "!", "time",
        "function", "select", "coproc", "[[", "]]", "foreach", "end", "repeat", "nocorrect", "noglob", "always",
    ]

    /// Reads commands up to one of the reserved words, a closing parenthesis, `;;`, or the end.
    private mutating func list(until words: Set<String>) throws(ShellProblem) -> Stop {
        var canEnd = true
        while true {
            try skipNewlines()
            guard let byte else { return try checked(.end, canEnd) }
            switch byte {
            case UInt8(ascii: ")"): return try checked(.parenthesis, canEnd)
            case UInt8(ascii: ";") where self.byte(ahead: 1) == UInt8(ascii: ";"): return try checked(.caseEnd, canEnd)
            case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"): throw problem("an operator has nothing before it")
            default: break
            }
            if let word = reservedWord(), words.contains(word) {
                index += word.utf8.count
                return try checked(.word(word), canEnd)
            }
            try command()
            skipBlanks()
            canEnd = try separator()
        }
    }

    private func checked(_ stop: Stop, _ canEnd: Bool) throws(ShellProblem) -> Stop {
        guard canEnd else { throw problem("an operator has nothing behind it") }
        return stop
    }

    /// Returns false if a command must follow.
    private mutating func separator() throws(ShellProblem) -> Bool {
        switch byte {
        case nil, UInt8(ascii: ")"), UInt8(ascii: "\n"): return true
        case UInt8(ascii: ";"):
            if byte(ahead: 1) != UInt8(ascii: ";") { index += 1 }
            return true
        case UInt8(ascii: "&"):
            let isAnd = byte(ahead: 1) == UInt8(ascii: "&")
            index += isAnd ? 2 : 1
            return !isAnd
        case UInt8(ascii: "|"):
            let isTwo = byte(ahead: 1) == UInt8(ascii: "|") || byte(ahead: 1) == UInt8(ascii: "&")
            index += isTwo ? 2 : 1
            return false
        default: throw problem("two commands are not separated")
        }
    }

    /// The reserved word that stands here, unquoted and by itself.
    private func reservedWord() -> String? {
        var end = index
        while end < bytes.count, !Self.endsWord(bytes[end]) { end += 1 }
        let word = String(decoding: bytes[index..<end], as: UTF8.self)
        return Self.reserved.contains(word) ? word : nil
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default: false
        }
    }

    // MARK: Commands

    private mutating func command() throws(ShellProblem) {
        try deeper { reader throws(ShellProblem) in try reader.commandHere() }
    }

    private mutating func commandHere() throws(ShellProblem) {
        if byte == UInt8(ascii: "(") {
            if byte(ahead: 1) == UInt8(ascii: "(") { throw problem("arithmetic is not judged") }
            index += 1
            try inParentheses()
            return try redirectionsBehind()
        }
        guard let word = reservedWord() else { return try simple() }
        index += word.utf8.count
        switch word {
        case "!": return try following()
        case "time":
            skipBlanks()
            if isNext("-") { throw problem("options of `time` are not judged") }
            return try following()
        case "{": try body(until: ["}"])
        case "if": try conditional()
        case "while", "until":
            try body(until: ["do"])
            try body(until: ["done"])
        case "for": try forLoop()
        case "case": try caseChoice()
        default: throw problem("`\(word)` is not judged here")
        }
        try redirectionsBehind()
    }

    /// The command behind `!` or `time`.
    private mutating func following() throws(ShellProblem) {
        skipBlanks()
        guard let byte, byte != UInt8(ascii: "("),
            !Self.endsWord(byte) || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
        else {
            if byte == UInt8(ascii: "(") { return try command() }
            throw problem("a command is missing")
        }
        try command()
    }

    private mutating func body(until words: Set<String>) throws(ShellProblem) {
        guard case .word = try list(until: words) else { throw problem("a compound command does not end") }
    }

    private mutating func conditional() throws(ShellProblem) {
        try body(until: ["then"])
        while true {
            switch try list(until: ["elif", "else", "fi"]) {
            case .word("elif"): try body(until: ["then"])
            case .word("else"): return try body(until: ["fi"])
            case .word("fi"): return
            default: throw problem("`if` does not end")
            }
        }
    }

    private mutating func forLoop() throws(ShellProblem) {
        skipBlanks()
        let start = index
        while let byte, Self.isNameByte(byte) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let first = name.utf8.first, !(48...57).contains(first) else { throw problem("this kind of `for` is not judged") }
        line.loopVariables.append(name)
        try skipNewlines()
        if reservedWord() == "in" {
            index += 2
            skipBlanks()
            while let byte, !Self.endsWord(byte) || isSubstitutedProcess {
                guard byte != UInt8(ascii: "<") || isSubstitutedProcess else { break }
                _ = try word()
                skipBlanks()
            }
        }
        if byte == UInt8(ascii: ";") { index += 1 }
        try skipNewlines()
        guard reservedWord() == "do" else { throw problem("`for` has no `do`") }
        index += 2
        try body(until: ["done"])
    }

    private mutating func caseChoice() throws(ShellProblem) {
        skipBlanks()
        _ = try word()
        try skipNewlines()
        guard reservedWord() == "in" else { throw problem("`case` has no `in`") }
        index += 2
        while true {
            try skipNewlines()
            if reservedWord() == "esac" {
                index += 4
                return
            }
            if byte == UInt8(ascii: "(") { index += 1 }
            while true {
                skipBlanks()
                _ = try word()
                skipBlanks()
                guard byte == UInt8(ascii: "|") else { break }
                index += 1
            }
            guard byte == UInt8(ascii: ")") else { throw problem("a pattern of `case` does not end") }
            index += 1
            switch try list(until: ["esac"]) {
            case .word: return
            case .caseEnd:
                index += 2
                if byte == UInt8(ascii: "&") { throw problem("this operator of `case` is not judged") }
            default: throw problem("`case` does not end")
            }
        }
    }

    /// Reads up to the closing parenthesis, and over it.
    private mutating func inParentheses() throws(ShellProblem) {
        guard waiting.isEmpty else { throw problem("a here-document and a parenthesis overlap") }
        guard try list(until: []) == .parenthesis else { throw problem("a parenthesis is not closed") }
        guard waiting.isEmpty else { throw problem("a here-document and a parenthesis overlap") }
        index += 1
    }

    private mutating func redirectionsBehind() throws(ShellProblem) {
        repeat { skipBlanks() } while try redirection()
    }

    // MARK: Simple commands

    private mutating func simple() throws(ShellProblem) {
        var command = ShellCommand()
        let start = index
        // A plain `sh` reads `&>` as two operators: a word behind it would be a program.
        var endsWithBoth = false
        while true {
            skipBlanks()
            let isBoth = isNext("&>")
            if try redirection() {
                endsWithBoth = endsWithBoth || isBoth
                continue
            }
            guard let byte, !Self.endsWord(byte) || isSubstitutedProcess else {
                if byte == UInt8(ascii: "(") { throw problem("a parenthesis stands where functions and arrays have one") }
                break
            }
            if endsWithBoth { throw problem("a word stands behind `&>`") }
            // Shells do not agree on a reserved word behind a redirection or an assignment.
            if command.words.isEmpty, index != start, reservedWord() != nil {
                throw problem("a reserved word stands where a program is expected")
            }
            let place = index
            let word = try word()
            if word.text == "}", !word.isQuoted { throw problem("zsh reads a brace here as the end of a group") }
            if command.words.isEmpty, isAssignment(from: place) {
                command.assignments.append(word)
            } else {
                command.words.append(word)
            }
        }
        guard index > start else { throw problem("a command is missing") }
        if !command.isEmpty { line.commands.append(command) }
    }

    /// The raw bytes are a name and `=`, `+=` or a subscript.
    private func isAssignment(from place: Int) -> Bool {
        var end = place
        while end < index, Self.isNameByte(bytes[end]) { end += 1 }
        guard end > place, end < index, !(48...57).contains(bytes[place]) else { return false }
        return bytes[end] == UInt8(ascii: "=") || bytes[end] == UInt8(ascii: "[")
            || (bytes[end] == UInt8(ascii: "+") && end + 1 < index && bytes[end + 1] == UInt8(ascii: "="))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    // MARK: Redirections

    private var isSubstitutedProcess: Bool {
        (byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")) && byte(ahead: 1) == UInt8(ascii: "(")
    }

    /// Returns false if none stands here.
    private mutating func redirection() throws(ShellProblem) -> Bool {
        var place = index
        while place < bytes.count, (48...57).contains(bytes[place]) { place += 1 }
        guard place < bytes.count else { return false }
        let isBoth = place == index && isNext("&>")
        guard isBoth || bytes[place] == UInt8(ascii: "<") || bytes[place] == UInt8(ascii: ">") else { return false }
        if place == index, !isBoth, isSubstitutedProcess { return false }
        index = place
        for (spelling, kind) in Self.operators where isNext(spelling) {
            index += spelling.utf8CodeUnitCount
            if kind == .hereDocument || kind == .hereDocumentStripped {
                try announce(stripsTabs: kind == .hereDocumentStripped)
                return true
            }
            skipBlanks()
            guard let byte, !Self.endsWord(byte) || isSubstitutedProcess else { throw problem("a redirection has no target") }
            let target = try word()
            switch kind {
            case .write:
                if !target.isKnown || !Self.sinks.contains(target.text) { line.redirections.append(target) }
            case .read:
                if !target.isKnown || target.text != "/dev/null" { line.redirections.append(target) }
            case .copy:
                let isCopy = target.isKnown && (target.text == "-" || (target.text.utf8.count == 1 && Int(target.text) != nil))
                if !isCopy { line.redirections.append(target) }
            case .text, .hereDocument, .hereDocumentStripped: break
            }
            return true
        }
        return false
    }

    private enum Redirection { case write, read, copy, text, hereDocument, hereDocumentStripped }

    /// Longest first.
    private static let operators: [(StaticString, Redirection)] = [
        ("&>>", .write), ("<<<", .text), ("<<-", .hereDocumentStripped), ("&>", .write), ("<<", .hereDocument), (">>", .write),
        (">|", .write), ("<>", .write), (">&", .copy), ("<&", .copy), (">", .write), ("<", .read),
    ]
    private static let sinks: Set<String> = ["/dev/null", "/dev/stdout", "/dev/stderr"]

    private mutating func announce(stripsTabs: Bool) throws(ShellProblem) {
        skipBlanks()
        let start = index
        let delimiter = try word()
        guard index > start, delimiter.isKnown, !delimiter.text.isEmpty else {
            throw problem("the end of a here-document is not plain")
        }
        guard waiting.count < Self.hereDocumentsMax else { throw problem("there are too many here-documents") }
        waiting.append(
            HereDocument(delimiter: Array(delimiter.text.utf8), isLiteral: delimiter.isQuoted, stripsTabs: stripsTabs))
    }

    private mutating func body(of document: HereDocument) throws(ShellProblem) {
        let start = index
        while true {
            guard index < bytes.count else { throw problem("a here-document does not end") }
            var end = index
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            var first = index
            if document.stripsTabs { while first < end, bytes[first] == UInt8(ascii: "\t") { first += 1 } }
            if bytes[first..<end].elementsEqual(document.delimiter) {
                let last = index
                // Like in double quotes, but that a double quote is none.
                if !document.isLiteral {
                    index = start
                    var ignored = ShellWord()
                    while index < last { try expanded(into: &ignored, in: .hereDocument) }
                    guard index == last else { throw problem("a substitution does not end with its here-document") }
                }
                index = min(end + 1, bytes.count)
                return
            }
            if !document.isLiteral, end > index, bytes[end - 1] == UInt8(ascii: "\\") {
                throw problem("a line of a here-document is joined with the next")
            }
            index = end + 1
        }
    }

    // MARK: Words

    private mutating func word() throws(ShellProblem) -> ShellWord {
        var word = ShellWord()
        let start = index
        while let byte {
            if isSubstitutedProcess {
                guard index == start else { throw problem("a substitution stands in a word") }
                index += 2
                word.isKnown = false
                try deeper { reader throws(ShellProblem) in try reader.inParentheses() }
                continue
            }
            if Self.endsWord(byte) {
                if byte == UInt8(ascii: "(") { throw problem("a parenthesis stands in a word") }
                // `{name}>file` sets a variable.
                if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">"), index > start, bytes[index - 1] == UInt8(ascii: "}")
                {
                    throw problem("this redirection is not judged")
                }
                break
            }
            switch byte {
            case UInt8(ascii: "\\"):
                guard let next = self.byte(ahead: 1) else { throw problem("a backslash has nothing behind it") }
                index += 2
                if next == UInt8(ascii: "\n") { continue }
                word.isQuoted = true
                index -= 1
                take(to: &word)
            case UInt8(ascii: "'"): try singleQuoted(into: &word)
            case UInt8(ascii: "\""): try doubleQuoted(into: &word)
            case UInt8(ascii: "$"), UInt8(ascii: "`"): try expanded(into: &word, in: .word)
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "^"):
                // `[` by itself is a program.
                let isTest = byte == UInt8(ascii: "[") && index == start && (self.byte(ahead: 1).map(Self.endsWord) ?? true)
                if !isTest { word.isKnown = false }
                take(to: &word)
            case UInt8(ascii: "~"), UInt8(ascii: "="):
                // Expanded by some shell at the start, and `~` behind `=` and `:`.
                let before = index > start ? bytes[index - 1] : nil
                let isExpanded =
                    before == nil
                    || (byte == UInt8(ascii: "~") && (before == UInt8(ascii: "=") || before == UInt8(ascii: ":")))
                if isExpanded { word.isKnown = false }
                take(to: &word)
            case UInt8(ascii: "{"):
                if isNext("{}"), index == start || !word.isKnown || self.byte(ahead: 2).map(Self.endsWord) ?? true {
                    // `{}` is literal in every shell.
                    take(to: &word)
                    take(to: &word)
                } else {
                    if index != start || !(self.byte(ahead: 1).map(Self.endsWord) ?? true) { word.isKnown = false }
                    take(to: &word)
                }
            case UInt8(ascii: "}"):
                if index != start { word.isKnown = false }
                take(to: &word)
            default: take(to: &word)
            }
        }
        return word
    }

    /// Takes one scalar's bytes.
    private mutating func take(to word: inout ShellWord) {
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        word.text += String(decoding: bytes[index..<end], as: UTF8.self)
        index = end
    }

    private mutating func singleQuoted(into word: inout ShellWord) throws(ShellProblem) {
        word.isQuoted = true
        guard let end = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: "'")) else { throw problem("a quote is not closed") }
        if !waiting.isEmpty, bytes[index..<end].contains(UInt8(ascii: "\n")) {
            throw problem("a here-document and a quote overlap")
        }
        word.text += String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        index = end + 1
    }

    private mutating func doubleQuoted(into word: inout ShellWord) throws(ShellProblem) {
        word.isQuoted = true
        index += 1
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\n") where !waiting.isEmpty: throw problem("a here-document and a quote overlap")
            case UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"): try expanded(into: &word, in: .quotes)
            default: take(to: &word)
            }
        }
        throw problem("a quote is not closed")
    }

    /// One element of what stands in double quotes or in a here-document; at a `$` or backtick also of an unquoted word.
    private mutating func expanded(into word: inout ShellWord, in place: Place) throws(ShellProblem) {
        switch byte {
        case UInt8(ascii: "\\"):
            guard let next = byte(ahead: 1) else { throw problem("a backslash has nothing behind it") }
            let isEscape =
                next == UInt8(ascii: "$") || next == UInt8(ascii: "`") || next == UInt8(ascii: "\\")
                || (next == UInt8(ascii: "\"") && place != .hereDocument)
            if next == UInt8(ascii: "\n") {
                index += 2
            } else if isEscape {
                index += 1
                take(to: &word)
            } else {
                take(to: &word)
                take(to: &word)
            }
        case UInt8(ascii: "`"): try backticks(into: &word)
        case UInt8(ascii: "$"): try dollar(into: &word, in: place)
        default: take(to: &word)
        }
    }

    private mutating func dollar(into word: inout ShellWord, in place: Place) throws(ShellProblem) {
        guard let next = byte(ahead: 1) else { return take(to: &word) }
        switch next {
        case UInt8(ascii: "("):
            if byte(ahead: 2) == UInt8(ascii: "(") { throw problem("arithmetic is not judged") }
            index += 2
            word.isKnown = false
            try deeper { reader throws(ShellProblem) in try reader.inParentheses() }
        case UInt8(ascii: "["): throw problem("arithmetic is not judged")
        case UInt8(ascii: "{"):
            index += 2
            word.isKnown = false
            try parameter()
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            if place != .word { return take(to: &word) }
            throw problem("this kind of quote is not judged")
        case UInt8(ascii: "@"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "?"), UInt8(ascii: "-"), UInt8(ascii: "$"),
            UInt8(ascii: "!"), 48...57:
            index += 2
            word.isKnown = false
        case let next where Self.isNameByte(next):
            index += 1
            word.isKnown = false
            while let byte, Self.isNameByte(byte) { index += 1 }
            // zsh takes a subscript, and evaluates it.
            if byte == UInt8(ascii: "[") { throw problem("a subscript is not judged") }
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: ":"):
            throw problem("this expansion is not judged")
        default: take(to: &word)
        }
    }

    /// `${name}`, `${#name}`, and the operators whose operand is plain.
    private mutating func parameter() throws(ShellProblem) {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { throw problem("a `${` is not closed") }
        var rest = bytes[index..<end]
        if rest.first == UInt8(ascii: "#") { rest = rest.dropFirst() }
        let name = rest.prefix(while: Self.isNameByte)
        guard let first = name.first, name.count == 1 || !(48...57).contains(first) else {
            throw problem("this `${ }` is not judged")
        }
        rest = rest.dropFirst(name.count)
        if !rest.isEmpty {
            let kind = rest.starts(with: Array(":-".utf8)) || rest.starts(with: Array(":+".utf8)) ? 2 : 1
            let isPlain = rest.dropFirst(kind).allSatisfy {
                Self.isNameByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "-")
            }
            guard kind == 2 || rest.first.map({ Array("-+%#".utf8).contains($0) }) == true, isPlain else {
                throw problem("this `${ }` is not judged")
            }
        }
        index = end + 1
    }

    private mutating func backticks(into word: inout ShellWord) throws(ShellProblem) {
        guard waiting.isEmpty else { throw problem("a here-document and a backtick overlap") }
        word.isKnown = false
        index += 1
        var inner: [UInt8] = []
        while let byte, byte != UInt8(ascii: "`") {
            if byte == UInt8(ascii: "\\"), let next = self.byte(ahead: 1) {
                // Shells do not agree on a quote that is escaped here.
                if next == UInt8(ascii: "\"") || next == UInt8(ascii: "\n") { throw problem("this backslash is not judged") }
                if next != UInt8(ascii: "`"), next != UInt8(ascii: "$"), next != UInt8(ascii: "\\") { inner.append(byte) }
                index += 1
            }
            guard index < bytes.count else { break }
            inner.append(bytes[index])
            index += 1
        }
        guard byte == UInt8(ascii: "`") else { throw problem("a backtick is not closed") }
        index += 1
        guard depth < Self.depthMax else { throw problem("it nests too deep") }
        var reader = ShellReader(inner, depth: depth + 1)
        let inside = try reader.readAll()
        line.commands += inside.commands
        line.redirections += inside.redirections
        line.loopVariables += inside.loopVariables
    }
}
