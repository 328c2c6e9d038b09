/// A simple command that a command line runs, anywhere in it.
struct ShellCommand: Equatable, Sendable {
    /// Assignments `NAME=value` before the program.
    var assignments: [ShellWord] = []
    /// The program, and its arguments.
    var words: [ShellWord] = []
    /// True if the line itself feeds it: a pipe, a here-document or a here-string is its input.
    var isFed = false

    var isEmpty: Bool { assignments.isEmpty && words.isEmpty }
}
