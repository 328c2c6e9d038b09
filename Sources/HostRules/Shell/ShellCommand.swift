/// A simple command that a command line runs, wherever in it that stands.
struct ShellCommand: Equatable, Sendable {
    /// `NAME=value` before the program.
    var assignments: [ShellWord] = []
    /// The program, and its arguments.
    var words: [ShellWord] = []

    var isEmpty: Bool { assignments.isEmpty && words.isEmpty }
}
