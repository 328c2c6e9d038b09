/// Reads words: quotes, expansions and substitutions.
extension ShellReader {
    mutating func word() throws(ShellError) -> ShellWord {
        var word = ShellWord()
        let start = index
        while let byte {
            if isSubstitutedProcess {
                guard index == start else { throw problem("a substitution stands in a word") }
                index += 2
                word.isKnown = false
                try deeper { reader throws(ShellError) in try reader.inParentheses() }
                continue
            }
            if Self.endsWord(byte) {
                if byte == UInt8(ascii: "(") { throw problem("a parenthesis stands in a word") }
                // The redirection `{name}>file` sets a variable.
                if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">"), index > start, bytes[index - 1] == UInt8(ascii: "}")
                {
                    throw problem("this redirection is not judged")
                }
                break
            }
            switch byte {
            case UInt8(ascii: "\\"):
                guard let next = self.byte(ahead: 1) else { throw problem("a backslash has nothing behind it") }
                // Shells join the line before they look for reserved words, which are compared here as they are written.
                if next == UInt8(ascii: "\n") { throw problem("a line is joined within a word") }
                index += 2
                word.isQuoted = true
                index -= 1
                take(to: &word)
            case UInt8(ascii: "'"): try singleQuoted(into: &word)
            case UInt8(ascii: "\""): try doubleQuoted(into: &word)
            case UInt8(ascii: "$"), UInt8(ascii: "`"): try expanded(into: &word, in: .word)
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "^"):
                // A single `[` is a program.
                let isTest = byte == UInt8(ascii: "[") && index == start && (self.byte(ahead: 1).map(Self.endsWord) ?? true)
                if !isTest { word.isKnown = false }
                take(to: &word)
            case UInt8(ascii: "~"), UInt8(ascii: "="):
                // Some shells expand these at the start, and `~` after `=` and `:`.
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
    mutating func take(to word: inout ShellWord) {
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        word.text += String(decoding: bytes[index..<end], as: UTF8.self)
        index = end
    }

    mutating func singleQuoted(into word: inout ShellWord) throws(ShellError) {
        word.isQuoted = true
        guard let end = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: "'")) else { throw problem("a quote is not closed") }
        if !waiting.isEmpty, bytes[index..<end].contains(UInt8(ascii: "\n")) {
            throw problem("a here-document and a quote overlap")
        }
        word.text += String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        index = end + 1
    }

    mutating func doubleQuoted(into word: inout ShellWord) throws(ShellError) {
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

    /// Reads one element of a double-quoted text or here-document; for a `$` or backtick also of an unquoted word.
    mutating func expanded(into word: inout ShellWord, in place: Place) throws(ShellError) {
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

    mutating func dollar(into word: inout ShellWord, in place: Place) throws(ShellError) {
        guard let next = byte(ahead: 1) else { return take(to: &word) }
        switch next {
        case UInt8(ascii: "("):
            if byte(ahead: 2) == UInt8(ascii: "(") { throw problem("arithmetic is not judged") }
            index += 2
            word.isKnown = false
            try deeper { reader throws(ShellError) in try reader.inParentheses() }
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
            // zsh reads a subscript here, and evaluates it.
            if byte == UInt8(ascii: "[") { throw problem("a subscript is not judged") }
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: ":"):
            throw problem("this expansion is not judged")
        default: take(to: &word)
        }
    }

    /// Reads `${name}`, `${#name}`, and operators whose operand is plain.
    mutating func parameter() throws(ShellError) {
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

    mutating func backticks(into word: inout ShellWord) throws(ShellError) {
        guard waiting.isEmpty else { throw problem("a here-document and a backtick overlap") }
        word.isKnown = false
        index += 1
        var inner: [UInt8] = []
        while let byte, byte != UInt8(ascii: "`") {
            if byte == UInt8(ascii: "\\"), let next = self.byte(ahead: 1) {
                // Shells differ in how they read an escaped quote here.
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
        line.hasLoop = line.hasLoop || inside.hasLoop
    }
}
