/// The program in a terminal that we hold, by the command that starts it.
package enum HeldKind: String, Sendable {
    /// `heliograph claude`
    case claude
    /// `heliograph shell`
    case shell

    /// The command that a person types.
    var command: String { "heliograph \(rawValue)" }

    func runs(in terminal: HeldTerminal) -> Bool { (terminal.program == nil) == (self == .claude) }

    var nothingRuns: String {
        switch self {
        case .claude: "no Claude Code runs"
        case .shell: "no program runs"
        }
    }

    var wasLost: String {
        let what = "the process that held the terminal is gone, and"
        return switch self {
        case .claude: "\(what) Claude Code with it: claude --resume continues"
        case .shell: "\(what) the program with it"
        }
    }

    var needsTerminal: String {
        switch self {
        case .claude: "heliograph claude needs a terminal; without one: heliograph run -- claude"
        case .shell: "heliograph shell needs a terminal"
        }
    }
}
