/// Finds every program that a command line runs, also through other programs.
struct ProgramRuns {
    /// Depth of strings of commands inside strings of commands.
    private static let depthMax = 6
    /// Most programs of one line.
    private static let countMax = 256
    /// Most places of one command that are looked at as the beginning of a string of commands.
    private static let startsMax = 16

    private(set) var runs: [ProgramRun] = []
    /// Commands that arguments seem to be, of programs that may run them. Only rules that deny or ask look at them.
    private(set) var possible: [ProgramRun] = []
    /// True if such arguments cannot be read.
    private(set) var isUnclear = false
    private(set) var redirections: [ShellWord] = []
    private(set) var loopVariables: [String] = []
    private(set) var hasLoop = false

    init(_ line: ShellLine) throws(ShellError) {
        try add(line, [], isFed: false, 0)
        for run in runs { addPossible(run) }
    }

    private mutating func add(_ line: ShellLine, _ assignments: [ShellWord], isFed: Bool, _ depth: Int) throws(ShellError) {
        redirections += line.redirections
        loopVariables += line.loopVariables
        hasLoop = hasLoop || line.hasLoop
        for command in line.commands {
            try add(
                ProgramRun(
                    assignments: assignments + command.assignments, words: command.words, isFed: isFed || command.isFed),
                depth)
        }
    }

    private mutating func add(_ run: ProgramRun, _ depth: Int) throws(ShellError) {
        guard depth < Self.depthMax, runs.count < Self.countMax else {
            throw ShellError(sentence: "it runs too many programs, or nests too deep", offset: 0)
        }
        var run = run
        guard let program = run.program else { return runs.append(run) }
        let rest = Array(run.words.dropFirst())
        if Shells.names.contains(program) {
            guard let string = Shells.string(rest) else {
                run.cover = Shells.readsInput(rest) ? .none : .exact
                return runs.append(run)
            }
            return try add(ShellLine(parsing: string), run.assignments, isFed: run.isFed, depth + 1)
        }
        if let inner = Wrappers.inner(program, rest) {
            run.assignments += inner.assignments
            run.words = inner.words
            run.isSupplied = run.isSupplied || program == "xargs"
            return try add(run, depth + 1)
        }
        let baseName = ExactPrograms.baseName(program)
        if ExactPrograms.names.contains(baseName) { run.cover = .exact }
        // Arguments come from its input.
        if baseName == "xargs" || baseName == "parallel" { run.words.append(.unseen) }
        runs.append(run)
        guard baseName == "find" else { return }
        for words in Wrappers.executed(byFind: rest) {
            var executed = run
            (executed.words, executed.cover) = (words, .any)
            try add(executed, depth + 1)
        }
    }

    // MARK: To deny or ask

    /// True if a word names the host, or what the line runs, or fetches from, is not in it.
    func mayReach(_ host: String) -> Bool {
        isUnclear
            || (runs + possible).contains { run in
                let words = run.searched + run.assignments
                return run.runsUnseen || run.hasCode || words.contains { RuleAddress.names(host, in: $0.text) }
                    || (Self.fetchers.contains(run.baseName ?? "") && !words.allSatisfy(\.isKnown))
            }
    }

    private static let fetchers: Set<String> = ["curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "nc"]

    // MARK: What may be run besides

    private mutating func addPossible(_ run: ProgramRun) {
        guard run.words.count <= ProgramRun.wordsMax else { return isUnclear = true }
        let words = run.searched
        for (index, word) in zip(words.indices, words) where word.isKnown {
            guard Shells.baseNames.contains(ExactPrograms.baseName(word.text)) else { continue }
            let rest = Array(words[(index + 1)...])
            guard run.mayRunOthers || rest.first?.text.hasPrefix("-") == true else { continue }
            read(Shells.string(rest))
        }
        guard let baseName = run.baseName, Shells.stringTakers.contains(baseName) else { return }
        guard words.allSatisfy(\.isKnown) else { return isUnclear = true }
        // Without these, the words are compared as they are.
        guard words.contains(where: { word in word.text.contains { "'\"\\$` \t\n{".contains($0) } }) else { return }
        guard words.count <= Self.startsMax else { return isUnclear = true }
        for index in words.indices { read(words[index...].map(\.text).joined(separator: " ")) }
    }

    private mutating func read(_ string: String?) {
        guard let string, let inner = try? ProgramRuns(of: string) else { return isUnclear = true }
        guard possible.count + inner.runs.count <= Self.countMax else { return isUnclear = true }
        possible += inner.runs
    }

    /// The programs of a string inside a line, without those that their arguments seem to be.
    private init(of string: String) throws(ShellError) { try add(ShellLine(parsing: string), [], isFed: false, 1) }
}
