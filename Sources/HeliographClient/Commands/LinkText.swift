/// A link with a secret, as the command line gives it.
enum LinkText {
    /// `-`: a line of standard input. An argument is in the shell's history, and other users of the machine see it while the command runs.
    static func read(_ argument: String, _ terminal: Terminal) throws(ClientError) -> String {
        guard argument == "-" else { return argument }
        if terminal.isInteractive { terminal.prompt("Link: ") }
        guard let line = Swift.readLine(), !line.isEmpty else { throw ClientError(.usage, "standard input has no link") }
        return line
    }
}
