internal import RelayProtocol

/// The effect of a call, as far as rules know it.
enum RuleSubject {
    case command(Result<ProgramRuns, ShellError>, NamedFiles?, isPlain: Bool)
    /// A file: the path as it is named, and with links resolved.
    case file(path: String, real: String?, isWrite: Bool)
    case address(String?)
    /// Another tool.
    case tool(ToolInput, NamedFiles?)
    /// The call is unknown, for this reason.
    case unknown(String)

    private static let shells: Set<String> = ["Bash", "Command", "Shell", "shell", "bash", "execute", "exec_command"]
    /// Tools that run a command line, too, and do more with it than one that is allowed.
    private static let otherShells: Set<String> = ["Monitor", "mcp__workspace__bash"]
    private static let writers: Set<String> = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
    /// Codex's tool, whose input names files in its own form.
    private static let patcher = "apply_patch"
    /// Members of a command's input that do not affect what runs.
    private static let plain: Set<String> = ["command", "description", "reason", "timeout", "run_in_background"]

    static func isShell(_ tool: String) -> Bool { shells.contains(tool) }

    /// True for tools whose name alone would allow every command.
    static func runsCommands(_ tool: String) -> Bool {
        shells.contains(tool) || otherShells.contains(tool) || ["PowerShell", "REPL", "Eval"].contains(tool)
    }

    /// The tool's verb in patterns of files; nil if it uses no file.
    static func verb(of tool: String) -> String? { tool == "Read" ? tool : writers.contains(tool) ? "Edit" : nil }

    /// `namesFiles`: a rule that denies or asks is about files, so that the call's words are looked up.
    init(_ call: RuleCall, namesFiles: Bool, look: (String) -> String?) {
        guard let input = call.input, let members = try? input.members() else {
            self = .unknown("its input is not whole")
            return
        }
        func text(_ key: String) -> String? { members.first { $0.key == key }.flatMap { try? $0.value.string() } }
        if Self.shells.contains(call.tool) || Self.otherShells.contains(call.tool) {
            guard let text = text("command") else {
                self = .unknown("its command is not readable")
                return
            }
            let runs = Result { () throws(ShellError) in try ProgramRuns(ShellLine(parsing: text)) }
            let isPlain = members.allSatisfy { Self.plain.contains($0.key) || call.isFolder($0) }
            let files = namesFiles ? (try? runs.get()).map { NamedFiles($0, call, look: look) } : nil
            self = .command(runs, files, isPlain: isPlain && Self.shells.contains(call.tool))
            return
        }
        if call.tool == "Read" || Self.writers.contains(call.tool) {
            let named = [text("file_path"), text("notebook_path"), text("path")].compactMap(\.self)
            guard named.count == 1, let path = RulePath.absolute(named[0], in: call.folder, home: call.home) else {
                self = .unknown("the file that it is about cannot be determined")
                return
            }
            let raw = named[0].hasPrefix("/") ? named[0] : path
            self = .file(path: path, real: look(raw).map(RulePath.normalized), isWrite: call.tool != "Read")
            return
        }
        guard call.tool != "WebFetch" else {
            self = .address(RuleAddress.host(of: text("url") ?? ""))
            return
        }
        let named = ToolInput(input)
        self = .tool(named, namesFiles ? NamedFiles(named, call, look: look) : nil)
    }

    // MARK: To deny or ask

    func concern(of pattern: RulePattern, _ call: RuleCall) -> Match {
        if case .tool(let name) = pattern.subject {
            if name.matches(call.tool, ignoringCase: true) { return .yes }
            // A rule about one tool that writes files applies to the others too.
            guard Self.writers.contains(where: { name.matches($0, ignoringCase: true) }) else { return .no }
            return Self.writers.contains(call.tool) ? .yes : call.tool == Self.patcher ? .maybe : .no
        }
        if call.tool == Self.patcher, pattern.isAboutFiles { return .maybe }
        switch (self, pattern.subject) {
        case (.unknown, _): return .maybe
        case (.command, .anyCommand): return .yes
        case (.command(.failure, _, _), _): return .maybe
        case (.command(.success(let runs), _, _), .command(let pattern)): return pattern.concerns(runs)
        case (.command(_, let files?, _), .edit(let pattern)), (.command(_, let files?, _), .read(let pattern)):
            return files.mayMatch(pattern, call) ? .maybe : .no
        case (.file(let path, let real, let isWrite), .edit(let pattern)):
            return isWrite ? Self.concern(path, real, pattern, call) : .no
        case (.file(let path, let real, let isWrite), .read(let pattern)):
            // An edit shows the file, too.
            return Self.concern(path, real, pattern, call) == .no ? .no : isWrite ? .maybe : .yes
        case (.address(let host), .address(let wanted, _)):
            guard let host else { return .maybe }
            return host == wanted || host.hasSuffix("." + wanted) ? .yes : .no
        case (.command(.success(let runs), _, _), .address(let host, _)): return runs.mayReach(host) ? .maybe : .no
        case (.tool(let input, _), .address(let host, _)): return input.names(host) ? .maybe : .no
        // Searches and some other tools read files too.
        case (.tool, .read) where ["Grep", "Glob", "LS", "NotebookRead"].contains(call.tool): return .maybe
        case (.tool(_, let files?), .read(let pattern)), (.tool(_, let files?), .edit(let pattern)):
            return files.mayMatch(pattern, call) ? .maybe : .no
        case (.tool(let input, _), .command), (.tool(let input, _), .anyCommand):
            return input.mayRun(as: call.tool) ? .maybe : .no
        default: return .no
        }
    }

    private static func concern(_ path: String, _ real: String?, _ pattern: PathPattern, _ call: RuleCall) -> Match {
        guard let real else { return .maybe }
        return [path, real].contains { pattern.matches($0, call, allows: false) } ? .yes : .no
    }

    // MARK: To allow

    func coverage(by rules: [Rule], _ call: RuleCall, starsCount: Bool) -> RuleBook.Verdict {
        func ask(_ sentence: String) -> RuleBook.Verdict { .ask(sentence, rule: nil) }
        func verdict(of isCovered: (RulePattern) -> Bool) -> RuleBook.Verdict {
            let rule = rules.first { $0.patterns.contains(where: isCovered) }
            return rule.map { .allow([$0.name]) } ?? ask("no rule covers it")
        }
        switch self {
        case .unknown(let sentence): return ask(sentence)
        case .command(.failure(let problem), _, _): return ask("the command line cannot be judged: \(problem.sentence)")
        case .command(.success(let runs), _, let isPlain):
            guard isPlain else { return ask("its input has more than a command") }
            return Self.coverage(of: runs, by: rules, starsCount: starsCount)
        case .file(let path, let real, let isWrite):
            guard let real else { return ask("the target of its path cannot be determined") }
            guard ![path, real].contains(where: Self.isOwn) else { return ask("it is about rules themselves") }
            return verdict { pattern in
                switch pattern.subject {
                case .edit(let files) where isWrite, .read(let files) where !isWrite:
                    files.matches(path, call, allows: true) && files.matches(real, call, allows: true)
                default: false
                }
            }
        case .address(let host):
            guard let host else { return ask("its address is not plain") }
            return verdict { pattern in
                guard case .address(let wanted, let below) = pattern.subject else { return false }
                return below ? host.hasSuffix("." + wanted) : host == wanted
            }
        case .tool:
            return verdict { pattern in
                guard case .tool(let name) = pattern.subject else { return false }
                guard name.matches(call.tool) else { return false }
                guard !name.isLiteral else { return true }
                // Behind the server's name, what a star takes is one tool's: other servers may be called `a__b` and `a_`.
                let taken = String(call.tool.utf8.dropFirst(name.parts[0].utf8.count)) ?? ""
                return !taken.isEmpty && taken.utf8.first != UInt8(ascii: "_") && !Wrappers.contains(taken, "__")
            }
        }
    }

    /// True for files of rules, in any folder.
    static func isOwn(_ path: String) -> Bool {
        path.split(separator: "/").last?.lowercased().hasPrefix("rules.") == true
    }

    /// Variable names that loops may set, because no program has settings of such names.
    private static let loopNames: Set<String> = ["file", "dir", "name", "line", "item", "pkg", "test", "module", "word"]

    static let movers: Set<String> = ["cd", "pushd", "popd", "chdir"]

    private static func coverage(of runs: ProgramRuns, by rules: [Rule], starsCount: Bool) -> RuleBook.Verdict {
        guard !runs.runs.isEmpty else { return .ask("it runs nothing that is known", rule: nil) }
        if let file = runs.redirections.first {
            return .ask("it redirects to or from \(file.isKnown ? file.text : "a file that is not known")", rule: nil)
        }
        let isHarmless = runs.loopVariables.allSatisfy { name in
            loopNames.contains(name) || (name.utf8.count == 1 && name.utf8.allSatisfy { (97...122).contains($0) })
        }
        guard isHarmless else { return .ask("a loop sets a variable that may be a setting", rule: nil) }
        // In another folder the same words run other programs, with other settings, than the pattern's author saw.
        if runs.runs.compactMap(\.program).contains(where: movers.contains) {
            return .ask("it changes the folder", rule: nil)
        }
        if let run = runs.runs.first(where: \.mayRunInput) {
            return .ask("the line itself is the input of `\(run.program ?? "a program that is not known")`", rule: nil)
        }
        var used: Set<String> = []
        for run in runs.runs {
            let rule = rules.first { rule in
                rule.patterns.contains {
                    if case .command(let pattern) = $0.subject { pattern.covers(run, starsCount: starsCount) } else { false }
                }
            }
            guard let rule else { return .ask("no rule covers `\(run.program ?? "a program that is not known")`", rule: nil) }
            used.insert(rule.name)
        }
        return .allow(rules.map(\.name).filter(used.contains))
    }
}
