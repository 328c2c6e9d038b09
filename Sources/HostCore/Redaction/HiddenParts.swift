/// Decides whether a person may allow a text with hidden parts.
///
/// The rule: each hidden part must be a secret of a known shape, in a place where only a value can be. It may not be part of a
/// command's name, an argument of its own, a path or a host, nor anything that can become a command: the content of a substitution,
/// a variable that is used again, the input of a program that runs it. Anything that is not understood is not allowed.
struct HiddenParts {
    private let ranges: [Range<Int>]
    private let bytes: [UInt8]

    init(_ ranges: [Range<Int>], in bytes: [UInt8]) {
        (self.ranges, self.bytes) = (ranges, bytes)
    }

    /// True if all hidden parts follow the rule. `member`: the name of the text in the tool's input. `isNamed`: that name says that
    /// the value is a secret.
    func areFair(in member: String, of tool: String, isNamed: Bool) -> Bool {
        if ranges.isEmpty { return true }
        switch (tool, member) {
        case ("Bash", "command"): return areFairInCommand
        case ("Write", "content"), ("NotebookEdit", "new_source"), ("Edit", "old_string"), ("Edit", "new_string"),
            ("MultiEdit", "old_string"), ("MultiEdit", "new_string"):
            return ranges.allSatisfy(isFairInFile)
        // An answer runs nothing, so parts of it may be hidden.
        case ("AskUserQuestion", _): return true
        default: return isNamed && ranges == [0..<bytes.count] && isSecret(bytes[...], isNamed: true)
        }
    }

    private func isSecret(_ value: ArraySlice<UInt8>, isNamed: Bool) -> Bool {
        SecretShape.isWhole(value) || isNamed && SecretShape.isMachineMade(value)
    }

    // MARK: - Commands

    private var areFairInCommand: Bool {
        guard let command = PlainCommand(bytes), !command.commands.contains(where: Self.runsItsInput) else { return false }
        return ranges.allSatisfy { range in
            for simple in command.commands {
                guard let position = simple.words.firstIndex(where: { $0.holds(range) }) else { continue }
                return isFair(range, position, in: simple)
            }
            return false
        }
    }

    private func isFair(_ range: Range<Int>, _ position: Int, in simple: PlainCommand.Simple) -> Bool {
        let word = simple.words[position]
        guard !word.isTarget, !word.isExpanded, let parts = word.parts(around: range) else { return false }
        let value = bytes[range]
        if parts.after.isEmpty, let name = Self.assigned(parts.before) {
            // `NAME=value` and `--name=value`: the name has no other use. If the first word contains a quote, it is the beginning
            // of a command's name.
            let isFirst = simple.words[..<position].allSatisfy(Self.isAssignment)
            if isFirst, !isPlain(parts.before, before: range.lowerBound) { return false }
            return isSecret(value, isNamed: true) && (name.first == UInt8(ascii: "-") ? position > 0 : occursOnce(name))
        }
        // The program's name must not be hidden.
        guard position > 0, SecretShape.isWhole(value) || Self.isHeader(parts.before) && SecretShape.isMachineMade(value) else {
            return false
        }
        let program = simple.words[0].string
        let flag = simple.words[position - 1].string
        if ["curl", "wget", "xh"].contains(program), flag == "-H" || flag == "--header", parts.after.isEmpty {
            return Self.isHeader(parts.before)
        }
        if program == "curl", flag == "-u" || flag == "--user", parts.after.isEmpty {
            return parts.before.last == UInt8(ascii: ":") && parts.before.dropLast().allSatisfy(SecretScanner.isNameByte)
        }
        return Self.isInAddress(parts.before, parts.after)
    }

    /// True if `NAME=` begins its word and is spelled plainly in the command; the value may be in quotes.
    private func isPlain(_ text: ArraySlice<UInt8>, before end: Int) -> Bool {
        let textEnd = SecretScanner.isQuote(bytes[end - 1]) ? end - 1 : end
        let start = textEnd - text.count
        guard start >= 0, bytes[start..<textEnd].elementsEqual(text) else { return false }
        return start == 0 || " \t\n;|&".utf8.contains(bytes[start - 1])
    }

    /// The name before the `=` that ends `text`, if it says that its value is secret.
    private static func assigned(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.last == UInt8(ascii: "=") else { return nil }
        let name = text.dropLast()
        let rest = name.starts(with: "--".utf8) ? name.dropFirst(2) : name
        guard let first = rest.first, SecretScanner.isLetter(first) || first == UInt8(ascii: "_"),
            rest.allSatisfy({ SecretScanner.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }),
            rest.count < name.count || !rest.contains(UInt8(ascii: "-")), SecretName(rest, isData: true) != nil
        else { return nil }
        return name
    }

    /// True for the name of an HTTP header with a secret: `Authorization: Bearer `, `X-Api-Key: `.
    private static func isHeader(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.prefix { SecretScanner.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        guard SecretName(name, isData: true) != nil || SecretScanner.lowercased(name) == "private-token" else { return false }
        let scheme = SecretScanner.lowercased(text.dropFirst(name.count))
        return [":", ": ", ": bearer ", ": basic ", ": token "].contains(scheme)
    }

    /// True in `https://user:value@host` or `https://host/path?name=value&…`.
    private static func isInAddress(_ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>) -> Bool {
        let scheme = before.prefix(while: SecretScanner.isLetter)
        guard !scheme.isEmpty, before.dropFirst(scheme.count).starts(with: "://".utf8) else { return false }
        let rest = before.dropFirst(scheme.count + 3)
        if after.first == UInt8(ascii: "@") {
            let user = rest.last == UInt8(ascii: ":") ? rest.dropLast() : rest
            return (rest.isEmpty || user.count < rest.count && user.allSatisfy(SecretScanner.isNameByte))
                && isHost(after.dropFirst())
        }
        guard let query = rest.firstIndex(of: UInt8(ascii: "?")), isHost(rest[..<query]), rest.last == UInt8(ascii: "=") else {
            return false
        }
        let field = rest[query...].dropLast()
        guard let start = field.lastIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }) else { return false }
        return SecretName(field[(start + 1)...], isData: true) != nil && (after.isEmpty || after.first == UInt8(ascii: "&"))
    }

    /// True for a host that is shown whole, and what may follow it.
    private static func isHost(_ text: ArraySlice<UInt8>) -> Bool {
        let host = text.prefix { SecretScanner.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard !host.isEmpty else { return false }
        let rest = text.dropFirst(host.count)
        return (rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: ":"))
            && !rest.contains(UInt8(ascii: "@")) && !rest.contains(UInt8(ascii: "\\"))
    }

    /// Programs that run text as code, wherever it comes from.
    private static let interpreters: Set<String> = [
        "sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "csh", "tcsh", "pwsh", "powershell", "python", "python2", "python3",
        "perl",
        "ruby", "node", "deno", "bun", "php", "lua", "awk", "gawk", "osascript", "tclsh", "expect",
    ]
    private static let runners: Set<String> = [
        "eval", "source", "xargs", "parallel", "ssh", "base64", "base32", "xxd", "uudecode", "printenv", "crontab",
    ]
    /// Words that run text only if they are the command itself.
    private static let builtins: Set<String> = [
        ".", "exec", "trap", "alias", "set", "declare", "typeset", "compgen", "at", "batch", "watch",
    ]

    /// True if the program may run its standard input: an interpreter that is given no file does.
    private static func runsItsInput(_ simple: PlainCommand.Simple) -> Bool {
        for (position, word) in simple.words.enumerated() where !word.isTarget {
            let isCommand = simple.words[..<position].allSatisfy(isAssignment) && !isAssignment(word)
            guard let text = word.string else {
                // Only the shell knows what that command does.
                if isCommand { return true }
                continue
            }
            let name = text.split(separator: "/").last.map(String.init) ?? text
            if runners.contains(name) || isCommand && builtins.contains(name) { return true }
            guard interpreters.contains(name) else { continue }
            let next = simple.words.indices.contains(position + 1) ? simple.words[position + 1] : nil
            guard let next, !next.isTarget, let file = next.string, !file.isEmpty, !file.hasPrefix("-") else { return true }
        }
        // The command prints all variables, to the screen or to whatever reads its output.
        return simple.words.allSatisfy { isAssignment($0) || $0.isTarget || ["env", "export"].contains($0.string) }
            && simple.words.contains { ["env", "export"].contains($0.string) } && !simple.words.contains(where: isAssignment)
    }

    private static func isAssignment(_ word: PlainCommand.Word) -> Bool {
        let name = word.text.prefix { SecretScanner.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
        return !name.isEmpty && word.text.dropFirst(name.count).first == UInt8(ascii: "=")
    }

    /// True if `name` occurs nowhere else in the command, neither as `$name` nor within a string that becomes another command.
    private func occursOnce(_ name: ArraySlice<UInt8>) -> Bool {
        func isInside(_ index: Int) -> Bool {
            bytes.indices.contains(index) && (SecretScanner.isAlphanumeric(bytes[index]) || bytes[index] == UInt8(ascii: "_"))
        }
        var count = 0
        var index = 0
        while index + name.count <= bytes.count {
            if bytes[index] == name.first, !isInside(index - 1), !isInside(index + name.count),
                bytes[index..<index + name.count].elementsEqual(name)
            {
                count += 1
            }
            index += 1
        }
        return count == 1
    }

    // MARK: - Files

    /// True for the only line of a file that uses a name and gives it a value: `TOKEN=value`, `"token": "value",`.
    private func isFairInFile(_ range: Range<Int>) -> Bool {
        let start = bytes[..<range.lowerBound].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let end = bytes[range.upperBound...].firstIndex(of: 10) ?? bytes.count
        var before = bytes[start..<range.lowerBound]
        var after = bytes[range.upperBound..<end]
        func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        func trim() { while let last = before.last, SecretScanner.isBlank(last) { before.removeLast() } }
        if let quote = before.last, isQuote(quote) {
            guard after.popFirst() == quote else { return false }
            before.removeLast()
        }
        guard after.allSatisfy({ SecretScanner.isBlank($0) || ",;\r".utf8.contains($0) }) else { return false }
        trim()
        guard let sign = before.popLast(), sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":") else { return false }
        if before.last == UInt8(ascii: ":") { before.removeLast() }
        trim()
        if let quote = before.last, isQuote(quote) { before.removeLast() }
        let name = before.suffix(SecretName.bytesMax).reversed().prefix(while: SecretScanner.isNameByte)
        let nameStart = before.endIndex - name.count
        let isDeclared = before[..<nameStart].allSatisfy {
            SecretScanner.isLetter($0) || SecretScanner.isBlank($0) || isQuote($0)
        }
        return isDeclared && SecretName(before[nameStart...], isData: true) != nil && occursOnce(before[nameStart...])
            && isSecret(bytes[range], isNamed: true)
    }
}

extension PlainCommand.Word {
    func holds(_ range: Range<Int>) -> Bool {
        guard let first = places.first, let last = places.last else { return false }
        return first <= range.lowerBound && range.upperBound <= last + 1
    }

    /// The parts of the word before and after a range; nil if a quote or a backslash is within the range.
    func parts(around range: Range<Int>) -> (before: ArraySlice<UInt8>, after: ArraySlice<UInt8>)? {
        guard let start = places.firstIndex(of: range.lowerBound), start + range.count <= places.count,
            places[start + range.count - 1] == range.upperBound - 1
        else { return nil }
        return (text[..<start], text[(start + range.count)...])
    }
}
