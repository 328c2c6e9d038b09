/// The reason why a command line cannot be judged.
struct ShellError: Error, Equatable, Sendable {
    let sentence: String
    /// Offset in bytes at which the problem was noticed.
    let offset: Int
}
