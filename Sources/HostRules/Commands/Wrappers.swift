/// Programs that only run another one, which is judged instead of them.
enum Wrappers {
    struct Inner {
        var assignments: [ShellWord] = []
        var words: [ShellWord]
    }

    /// The command inside; nil if the program is no such wrapper, or is called in a way that is not known to be harmless.
    static func inner(_ program: String, _ arguments: [ShellWord]) -> Inner? {
        switch program {
        case "command", "builtin", "exec", "nohup", "setsid": return behind(arguments[...])
        case "timeout":
            var rest = arguments[...]
            skip(&rest, flags: ["--foreground", "--preserve-status", "-v", "--verbose"], valued: ["-k", "-s"])
            guard let duration = rest.popFirst(), duration.isKnown, isDuration(duration.text) else { return nil }
            return behind(rest)
        case "nice":
            var rest = arguments[...]
            skip(&rest, flags: [], valued: ["-n"])
            return behind(rest)
        case "stdbuf":
            var rest = arguments[...]
            while let word = rest.first, word.isKnown, ["-o", "-e", "-i"].contains(String(word.text.prefix(2))),
                ["L", "0"].contains(String(word.text.dropFirst(2)))
            {
                rest.removeFirst()
            }
            return behind(rest)
        case "env":
            let assignments = arguments.prefix { isAssignment($0.text) }
            var inner = behind(arguments.dropFirst(assignments.count))
            inner?.assignments = Array(assignments)
            return inner
        case "xargs": return ofXargs(arguments)
        default: return nil
        }
    }

    /// The command that begins at the first of these words; nil if that is not a program.
    private static func behind(_ words: ArraySlice<ShellWord>) -> Inner? {
        guard let first = words.first, first.isKnown, !first.text.hasPrefix("-") else { return nil }
        return Inner(words: Array(words))
    }

    private static func skip(_ words: inout ArraySlice<ShellWord>, flags: Set<String>, valued: Set<String>) {
        while let word = words.first, word.isKnown {
            if flags.contains(word.text) {
                words.removeFirst()
            } else if valued.contains(word.text), words.count > 1, words[words.startIndex + 1].isKnown {
                words.removeFirst(2)
            } else {
                return
            }
        }
    }

    private static func isDuration(_ text: String) -> Bool {
        let digits = text.last.map { "smhd".contains($0) } == true ? text.dropLast() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isAssignment(_ text: String) -> Bool {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign != text.utf8.startIndex else { return false }
        return text.utf8.first != UInt8(ascii: "-")
    }

    /// The command of xargs, whose input becomes arguments that nobody has seen.
    private static func ofXargs(_ arguments: [ShellWord]) -> Inner? {
        var rest = arguments[...]
        var mark: String?
        var hasCount = false
        while let word = rest.first, word.isKnown, word.text.hasPrefix("-") {
            rest.removeFirst()
            if ["-0", "-r", "-t", "--null", "--no-run-if-empty"].contains(word.text) { continue }
            let option = word.text.prefix(2)
            guard ["-n", "-P", "-L", "-I", "-d"].contains(option) else { return nil }
            var value = String(word.text.dropFirst(2))
            if value.isEmpty {
                guard let next = rest.popFirst(), next.isKnown else { return nil }
                value = next.text
            }
            if option == "-I" { mark = value }
            if option == "-n" || option == "-L" { hasCount = true }
        }
        guard var inner = behind(rest) else { return nil }
        if let mark {
            // With a number, the last of these options counts, and the other is dropped.
            guard !mark.isEmpty, !hasCount else { return nil }
            inner.words = inner.words.map { contains($0.text, mark) ? .unseen : $0 }
        } else {
            inner.words.append(.unseen)
        }
        return inner
    }

    /// The commands of `-exec` and similar options.
    static func executed(byFind arguments: [ShellWord]) -> [[ShellWord]] {
        var found: [[ShellWord]] = []
        var index = 0
        while index < arguments.count {
            defer { index += 1 }
            guard arguments[index].isKnown, ["-exec", "-execdir", "-ok", "-okdir"].contains(arguments[index].text) else {
                continue
            }
            let begin = index + 1
            index = begin
            while index < arguments.count, arguments[index].text != ";",
                arguments[index].text != "+" || arguments[index - 1].text != "{}"
            {
                index += 1
            }
            found.append(arguments[begin..<index].map { contains($0.text, "{}") ? .unseen : $0 })
        }
        return found
    }

    static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard !part.isEmpty, text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
