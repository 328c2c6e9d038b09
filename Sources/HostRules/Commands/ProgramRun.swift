/// A program that a command line runs, and how far a pattern can cover it.
struct ProgramRun: Equatable {
    enum Cover: Equatable {
        case any
        /// Its arguments can make it run anything, so only a pattern without a star covers it.
        case exact
        /// No pattern can show what it runs.
        case none
    }

    /// Words of a run that are searched for others; a longer one is put before a person.
    static let wordsMax = 256

    var assignments: [ShellWord]
    var words: [ShellWord]
    var cover = Cover.any
    /// True if the line itself is its input.
    var isFed = false
    /// True if words of it come from the input of `xargs`.
    var isSupplied = false

    /// The program's name; nil if it is not spelled out.
    var program: String? {
        guard let word = words.first, word.isKnown else { return nil }
        return word.text
    }

    var baseName: String? { program.map(ExactPrograms.baseName) }

    /// True if its arguments can be, or hold, commands that it runs.
    var mayRunOthers: Bool { cover != .any || program.map(StarLimits.isInterpreter) == true }

    /// True if it may run what the line gives it as input.
    var mayRunInput: Bool { isFed && !InputReaders.take(self) }

    /// True if it runs, or may run, commands that are not in its words: a script, its input, or options that only that has.
    var runsUnseen: Bool {
        guard let baseName else { return true }
        if cover == .none || Shells.baseNames.contains(baseName) || Self.laterRunners.contains(baseName) { return true }
        if StarLimits.isInterpreter(baseName), words.count == 1 || words.contains(where: { $0.text == "-" }) { return true }
        if isSupplied, !Self.plain.contains(baseName) { return true }
        // Git runs nothing that it reads.
        return mayRunInput && baseName != "git"
    }

    /// Programs that make a later word, line, terminal or time run what no word here shows.
    private static let laterRunners: Set<String> = [
        "source", ".", "alias", "hash", "at", "batch", "crontab", "tmux", "screen",
    ]

    /// True if an argument is code in which a command, or a file's name, can be put together so that no word shows it.
    var hasCode: Bool { baseName.map { InlineCode.isCode(words.dropFirst(), of: $0) } ?? false }

    /// The arguments in which another command may be.
    var searched: ArraySlice<ShellWord> {
        guard let baseName, !Self.plain.contains(baseName) else { return [] }
        let arguments = words.dropFirst()
        guard baseName == "git", ["commit", "tag"].contains(arguments.first?.text) else { return arguments }
        // The words of a message are no command.
        var rest: [ShellWord] = []
        for (before, word) in zip(words, arguments) {
            let isMessage =
                word.text.hasPrefix("--message=") || before.text == "--message"
                || (before.text.hasPrefix("-") && !before.text.hasPrefix("--") && before.text.hasSuffix("m"))
            if !isMessage { rest.append(word) }
        }
        return rest[...]
    }

    /// Programs that run no other, whatever their arguments.
    private static let plain: Set<String> = [
        "echo", "cat", "grep", "egrep", "fgrep", "head", "tail", "wc", "ls", "cut", "tr", "diff", "pwd", "cd", "true", "false",
        "basename", "dirname", "which", "mkdir", "rmdir", "touch", "cp", "mv", "rm", "ln", "chmod", "sleep",
    ]
}
