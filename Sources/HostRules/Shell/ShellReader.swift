/// Reads a command line of a POSIX shell, bash or zsh into the simple commands that it runs.
///
/// It knows the part of the language that these shells read alike, and refuses the rest: `[[ ]]`, arithmetic, arrays, functions,
/// `select`, `coproc`, most operators in `${ }`. A refused line is put before a person. The shell is assumed to be started for this
/// line: history is off, `#` begins a comment. An alias is taken for a program of its name.
struct ShellReader {
    /// Depth of commands inside commands: subshells, loops, substitutions.
    static let depthMax = 24
    /// Here-documents that one line may announce.
    static let hereDocumentsMax = 8

    struct HereDocument {
        var delimiter: [UInt8]
        var isLiteral: Bool
        var stripsTabs: Bool
    }

    enum Place { case word, quotes, hereDocument }

    enum Stop: Equatable {
        case end, parenthesis, caseEnd
        case word(String)
    }

    let bytes: [UInt8]
    var index = 0
    var depth: Int
    var line = ShellLine()
    var waiting: [HereDocument] = []

    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    mutating func readAll() throws(ShellError) -> ShellLine {
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

    /// Place of a joined line within an operator. Shells remove a backslash and a newline before they look for operators: `$`, a
    /// joined line and `(` are a substitution to bash and none to zsh, `<<`, a joined line and `-` another here-document.
    var splitOperator: Int? {
        bytes.indices.dropFirst(2).first { place in
            guard bytes[place] == UInt8(ascii: "\n"), bytes[place - 1] == UInt8(ascii: "\\") else { return false }
            var before = place - 2
            // Several lines joined in a row.
            while before >= 2, bytes[before] == UInt8(ascii: "\n"), bytes[before - 1] == UInt8(ascii: "\\") { before -= 2 }
            return Self.operatorBeginnings.contains(bytes[before])
        }
    }

    static let operatorBeginnings = Set("$<>`({=".utf8)

    // MARK: Bytes

    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }
    func byte(ahead: Int) -> UInt8? { index + ahead < bytes.count ? bytes[index + ahead] : nil }
    func isNext(_ text: StaticString) -> Bool {
        let wanted = Array("\(text)".utf8)
        return index + wanted.count <= bytes.count && bytes[index..<index + wanted.count].elementsEqual(wanted)
    }

    func problem(_ sentence: String) -> ShellError { ShellError(sentence: sentence, offset: index) }

    mutating func deeper<Value>(_ read: (inout ShellReader) throws(ShellError) -> Value) throws(ShellError) -> Value {
        guard depth < Self.depthMax else { throw problem("it nests too deep") }
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    /// Skips blanks, joined lines and a comment, but no newline.
    mutating func skipBlanks() {
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

    mutating func newline() throws(ShellError) {
        index += 1
        let documents = waiting
        waiting = []
        for document in documents { try body(of: document) }
    }

    mutating func skipNewlines() throws(ShellError) {
        skipBlanks()
        while byte == UInt8(ascii: "\n") {
            try newline()
            skipBlanks()
        }
    }

    // MARK: Lists

    static let reserved: Set<String> = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "{", "}", "!", "time",
        "function", "select", "coproc", "[[", "]]", "foreach", "end", "repeat", "nocorrect", "noglob", "always",
    ]

    /// Reads commands up to one of the reserved words, a closing parenthesis, `;;`, or the end.
    mutating func list(until words: Set<String>) throws(ShellError) -> Stop {
        var canEnd = true
        var isFed = false
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
            let first = line.commands.count
            try command()
            if isFed { feed(from: first) }
            skipBlanks()
            isFed = self.byte == UInt8(ascii: "|") && self.byte(ahead: 1) != UInt8(ascii: "|")
            canEnd = try separator()
        }
    }

    /// Marks the commands from an index on as fed by the line, with those inside their substitutions.
    mutating func feed(from first: Int) {
        for index in line.commands.indices[first...] { line.commands[index].isFed = true }
    }

    func checked(_ stop: Stop, _ canEnd: Bool) throws(ShellError) -> Stop {
        guard canEnd else { throw problem("an operator has nothing behind it") }
        return stop
    }

    /// Reads a separator. Returns false if a command must follow.
    mutating func separator() throws(ShellError) -> Bool {
        switch byte {
        case nil, UInt8(ascii: ")"), UInt8(ascii: "\n"): return true
        case UInt8(ascii: ";"):
            if byte(ahead: 1) == UInt8(ascii: "\\"), byte(ahead: 2) == UInt8(ascii: "\n") {
                throw problem("a line is joined within an operator")
            }
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

    /// The unquoted reserved word at this place; nil if there is none.
    func reservedWord() -> String? {
        var end = index
        while end < bytes.count, !Self.endsWord(bytes[end]) { end += 1 }
        let word = String(decoding: bytes[index..<end], as: UTF8.self)
        return Self.reserved.contains(word) ? word : nil
    }

    static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default: false
        }
    }

    // MARK: Commands

    mutating func command() throws(ShellError) {
        try deeper { reader throws(ShellError) in try reader.commandHere() }
    }

    mutating func commandHere() throws(ShellError) {
        let first = line.commands.count
        if byte == UInt8(ascii: "(") {
            if byte(ahead: 1) == UInt8(ascii: "(") { throw problem("arithmetic is not judged") }
            index += 1
            try inParentheses()
            return try redirectionsBehind(from: first)
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
            line.hasLoop = true
            try body(until: ["do"])
            try body(until: ["done"])
        case "for": try forLoop()
        case "case": try caseChoice()
        default: throw problem("`\(word)` is not judged here")
        }
        try redirectionsBehind(from: first)
    }

    /// Reads the command after `!` or `time`.
    mutating func following() throws(ShellError) {
        skipBlanks()
        guard let byte, byte != UInt8(ascii: "("),
            !Self.endsWord(byte) || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
        else {
            if byte == UInt8(ascii: "(") { return try command() }
            throw problem("a command is missing")
        }
        try command()
    }

    mutating func body(until words: Set<String>) throws(ShellError) {
        guard case .word = try list(until: words) else { throw problem("a compound command does not end") }
    }

    mutating func conditional() throws(ShellError) {
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

    mutating func forLoop() throws(ShellError) {
        skipBlanks()
        let start = index
        while let byte, Self.isNameByte(byte) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let first = name.utf8.first, !(48...57).contains(first) else { throw problem("this kind of `for` is not judged") }
        line.loopVariables.append(name)
        line.hasLoop = true
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

    mutating func caseChoice() throws(ShellError) {
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
                try choice()
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

    /// Reads one pattern of `case`. Shells differ in which reserved words they find here, and in braces.
    mutating func choice() throws(ShellError) {
        let start = index
        let word = try word()
        let isPlain =
            word.isKnown
            || bytes[start..<index].allSatisfy { Self.isNameByte($0) || $0 >= 0x80 || Self.choiceBytes.contains($0) }
        guard index > start, isPlain, word.isQuoted || !Self.reserved.contains(word.text) else {
            throw problem("this pattern of `case` is not judged")
        }
    }

    static let choiceBytes = Set("*?[]^!-+./,:@%\"'".utf8)

    /// Reads a list in parentheses, to the end of the closing one.
    mutating func inParentheses() throws(ShellError) {
        guard waiting.isEmpty else { throw problem("a here-document and a parenthesis overlap") }
        guard try list(until: []) == .parenthesis else { throw problem("a parenthesis is not closed") }
        guard waiting.isEmpty else { throw problem("a here-document and a parenthesis overlap") }
        index += 1
    }

    /// Reads the redirections behind a compound command, whose first command has this index.
    mutating func redirectionsBehind(from first: Int) throws(ShellError) {
        var isFed = false
        repeat { skipBlanks() } while try redirection(&isFed)
        if isFed { feed(from: first) }
    }

    // MARK: Simple commands

    mutating func simple() throws(ShellError) {
        var command = ShellCommand()
        let start = index
        // A plain `sh` reads `&>` as two operators, so that a word after it would be a program.
        var endsWithBoth = false
        let first = line.commands.count
        while true {
            skipBlanks()
            let isBoth = isNext("&>")
            if try redirection(&command.isFed) {
                endsWithBoth = endsWithBoth || isBoth
                continue
            }
            guard let byte, !Self.endsWord(byte) || isSubstitutedProcess else {
                if byte == UInt8(ascii: "(") { throw problem("a parenthesis stands where functions and arrays have one") }
                break
            }
            if endsWithBoth { throw problem("a word stands behind `&>`") }
            // Shells differ in how they read a reserved word after a redirection or an assignment.
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
        if command.isFed { feed(from: first) }
        if !command.isEmpty { line.commands.append(command) }
    }

    /// True if the raw bytes are a name followed by `=`, `+=` or a subscript.
    func isAssignment(from place: Int) -> Bool {
        var end = place
        while end < index, Self.isNameByte(bytes[end]) { end += 1 }
        guard end > place, end < index, !(48...57).contains(bytes[place]) else { return false }
        return bytes[end] == UInt8(ascii: "=") || bytes[end] == UInt8(ascii: "[")
            || (bytes[end] == UInt8(ascii: "+") && end + 1 < index && bytes[end + 1] == UInt8(ascii: "="))
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_")
    }

    // MARK: Redirections

    var isSubstitutedProcess: Bool {
        (byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")) && byte(ahead: 1) == UInt8(ascii: "(")
    }

    /// Reads a redirection. Returns false if there is none here. `isFed` becomes true if its text is in the line.
    mutating func redirection(_ isFed: inout Bool) throws(ShellError) -> Bool {
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
                isFed = true
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
            case .text, .hereDocument, .hereDocumentStripped: isFed = true
            }
            return true
        }
        return false
    }

    enum Redirection { case write, read, copy, text, hereDocument, hereDocumentStripped }

    /// The operators, the longest first.
    static let operators: [(StaticString, Redirection)] = [
        ("&>>", .write), ("<<<", .text), ("<<-", .hereDocumentStripped), ("&>", .write), ("<<", .hereDocument), (">>", .write),
        (">|", .write), ("<>", .write), (">&", .copy), ("<&", .copy), (">", .write), ("<", .read),
    ]
    static let sinks: Set<String> = ["/dev/null", "/dev/stdout", "/dev/stderr"]

    mutating func announce(stripsTabs: Bool) throws(ShellError) {
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

    mutating func body(of document: HereDocument) throws(ShellError) {
        let start = index
        while true {
            guard index < bytes.count else { throw problem("a here-document does not end") }
            var end = index
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            var first = index
            if document.stripsTabs { while first < end, bytes[first] == UInt8(ascii: "\t") { first += 1 } }
            if bytes[first..<end].elementsEqual(document.delimiter) {
                let last = index
                // Read as in double quotes, except that a double quote is literal.
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
}
