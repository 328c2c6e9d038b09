/// A program that a command line runs, and what a pattern can say of it.
struct ProgramRun: Equatable {
    enum Cover: Equatable {
        case any
        /// Its arguments can make it run anything: only a pattern without a star covers it.
        case exact
        /// No pattern shows what it runs.
        case none
    }

    var assignments: [ShellWord]
    var words: [ShellWord]
    var cover = Cover.any

    /// Nil if the program's name is not written out.
    var program: String? {
        guard let word = words.first, word.isKnown else { return nil }
        return word.text
    }

    /// True if its arguments can be, or hold, commands that it runs.
    var mayRunOthers: Bool { cover != .any || program.map(StarLimits.isInterpreter) == true }
}
