/// Why a command line cannot be judged.
package struct ShellProblem: Error, Equatable, Sendable {
    package let sentence: String
    /// Offset in bytes at which it was noticed.
    package let offset: Int
}
