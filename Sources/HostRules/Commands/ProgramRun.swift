/// A program that a command line runs, and how far a pattern can cover it.
struct ProgramRun: Equatable {
    enum Cover: Equatable {
        case any
        /// Its arguments can make it run anything, so only a pattern without a star covers it.
        case exact
        /// No pattern can show what it runs.
        case none
    }

    var assignments: [ShellWord]
    var words: [ShellWord]
    var cover = Cover.any

    /// The program's name; nil if it is not spelled out.
    var program: String? {
        guard let word = words.first, word.isKnown else { return nil }
        return word.text
    }

    /// True if its arguments can be, or hold, commands that it runs.
    var mayRunOthers: Bool { cover != .any || program.map(StarLimits.isInterpreter) == true }
}
