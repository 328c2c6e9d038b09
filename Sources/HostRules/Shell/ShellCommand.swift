/// A simple command that a command line runs, wherever in it that stands.
package struct ShellCommand: Equatable, Sendable {
    /// `NAME=value` before the program.
    package internal(set) var assignments: [ShellWord] = []
    /// The program, and its arguments.
    package internal(set) var words: [ShellWord] = []

    var isEmpty: Bool { assignments.isEmpty && words.isEmpty }
}
