/// Finds every program that a command line runs, also through other programs.
struct ProgramRuns {
    /// Depth of strings of commands inside strings of commands.
    private static let depthMax = 6
    /// Most programs of one line.
    private static let countMax = 256

    private(set) var runs: [ProgramRun] = []
    private(set) var redirections: [ShellWord] = []
    private(set) var loopVariables: [String] = []

    init(_ line: ShellLine) throws(ShellError) { try add(line, [], 0) }

    private mutating func add(_ line: ShellLine, _ assignments: [ShellWord], _ depth: Int) throws(ShellError) {
        redirections += line.redirections
        loopVariables += line.loopVariables
        for command in line.commands { try add(assignments + command.assignments, command.words, depth) }
    }

    private mutating func add(_ assignments: [ShellWord], _ words: [ShellWord], _ depth: Int) throws(ShellError) {
        guard depth < Self.depthMax, runs.count < Self.countMax else {
            throw ShellError(sentence: "it runs too many programs, or nests too deep", offset: 0)
        }
        var run = ProgramRun(assignments: assignments, words: words)
        guard let program = run.program else { return runs.append(run) }
        let rest = Array(words.dropFirst())
        if Shells.names.contains(program) {
            guard let string = Shells.string(rest) else {
                run.cover = Shells.readsInput(rest) ? .none : .exact
                return runs.append(run)
            }
            return try add(ShellLine(parsing: string), assignments, depth + 1)
        }
        if let inner = Wrappers.inner(program, rest) {
            return try add(assignments + inner.assignments, inner.words, depth + 1)
        }
        if ExactPrograms.names.contains(ExactPrograms.baseName(program)) { run.cover = .exact }
        runs.append(run)
        guard ExactPrograms.baseName(program) == "find" else { return }
        for words in Wrappers.executed(byFind: rest) { try add(assignments, words, depth + 1) }
    }
}
