/// The subject of a rule, in Claude Code's own spelling: `Bash(npm test:*)`, `Edit(src/**)`, `Read(~/notes/**)`,
/// `WebFetch(domain:example.com)`, `mcp__server__tool`, or a tool's name.
package struct RulePattern: Equatable, Sendable {
    enum Subject: Equatable {
        case command(CommandPattern)
        /// Every command.
        case anyCommand
        case edit(PathPattern)
        case read(PathPattern)
        /// A host; `below`: its subdomains too.
        case address(host: String, below: Bool)
        /// A tool by name, whatever its input; a star is permitted at the end.
        case tool(Glob)
    }

    package let text: String
    let subject: Subject

    var isAboutFiles: Bool {
        switch subject {
        case .edit, .read: true
        case .command, .anyCommand, .address, .tool: false
        }
    }

    package init(parsing text: String, for answer: Rule.Answer) throws(RuleError) {
        self.text = text
        guard let open = text.firstIndex(of: "(") else {
            subject = try Self.tool(text, answer)
            return
        }
        guard text.hasSuffix(")") else { throw RuleError("`\(text)` has no closing parenthesis at its end") }
        let inner = String(text[text.index(after: open)...].dropLast())
        switch text[..<open] {
        case "Bash":
            if inner == "*" || inner == ":*" {
                subject = try Self.tool("Bash", answer)
                return
            }
            let pattern = try CommandPattern(parsing: inner)
            if answer == .allow, !pattern.namesProgram {
                throw RuleError("`\(text)` does not name the program that it allows")
            }
            subject = .command(pattern)
        case "Edit", "Write": subject = .edit(try PathPattern(parsing: inner))
        case "Read": subject = .read(try PathPattern(parsing: inner))
        case "WebFetch": subject = try Self.address(inner)
        default:
            throw RuleError(
                "patterns of `\(text[..<open])` are not understood: only Bash, Edit, Write, Read and WebFetch have one")
        }
    }

    private static func tool(_ text: String, _ answer: Rule.Answer) throws(RuleError) -> Subject {
        let isName =
            !text.isEmpty
            && text.utf8.allSatisfy {
                $0.isLetterOrDigit || "_-.*".utf8.contains($0)
            }
        guard isName else { throw RuleError("`\(text)` is no tool's name") }
        if text == "Bash", answer != .allow { return .anyCommand }
        let whole: Set<String> = ["Bash", "Edit", "Write", "Read", "WebFetch", "MultiEdit", "NotebookEdit", "apply_patch"]
        if answer == .allow, whole.contains(text) || RuleSubject.runsCommands(text) {
            throw RuleError("`\(text)` would allow everything: say which, in parentheses")
        }
        var text = text
        // `mcp__server` means all of its tools.
        if text.hasPrefix("mcp__"), !text.dropFirst(5).isEmpty, Self.count("__", in: text) == 1 { text += "__*" }
        let stars = text.filter { $0 == "*" }.count
        let isPlain = stars == 0 || (stars == 1 && text.hasSuffix("__*") && text.hasPrefix("mcp__") && text.utf8.count > 8)
        guard answer != .allow || isPlain else { throw RuleError("`\(text)` would allow tools that nobody has named") }
        return .tool(Glob(text))
    }

    private static func count(_ part: String, in text: String) -> Int {
        var (count, rest) = (0, Array(text.utf8)[...])
        let part = Array(part.utf8)
        while rest.count >= part.count {
            if rest.starts(with: part) {
                count += 1
                rest = rest.dropFirst(part.count)
            } else {
                rest = rest.dropFirst()
            }
        }
        return count
    }

    private static func address(_ text: String) throws(RuleError) -> Subject {
        guard text.hasPrefix("domain:") else { throw RuleError("an address's pattern is `domain:HOST`") }
        var host = text.dropFirst("domain:".count).lowercased()
        let below = host.hasPrefix("*.")
        if below { host.removeFirst(2) }
        guard RuleAddress.isHost(host), host.contains(".") || host == "localhost" else {
            throw RuleError("`\(host)` is no host's name")
        }
        return .address(host: host, below: below)
    }
}
