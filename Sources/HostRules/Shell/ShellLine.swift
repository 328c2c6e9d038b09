/// Everything that a command line does, as far as the shell decides it.
struct ShellLine: Equatable, Sendable {
    /// The commands in their order, with those in substitutions.
    var commands: [ShellCommand] = []
    /// Files that redirections read or write. `/dev/null` and copies of descriptors are left out.
    var redirections: [ShellWord] = []
    /// Variables that loops set.
    var loopVariables: [String] = []
    /// True if a part of it may run more than once.
    var hasLoop = false

    /// Bytes of the longest line that is read; a longer one is put before a person.
    static let bytesMax = 64 << 10

    init(parsing text: String) throws(ShellError) {
        var reader = ShellReader(Array(text.utf8), depth: 0)
        self = try reader.readAll()
    }

    init() {}
}
