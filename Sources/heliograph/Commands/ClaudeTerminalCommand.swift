import ArgumentParser
import HeliographHost

/// `heliograph claude`
struct ClaudeTerminalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claude",
        abstract: "Your own Claude Code with its own screen, which can be left, come back to, and steered from afar.",
        discussion: """
              heliograph claude
              heliograph claude start --permission-mode manual --model opus
              heliograph claude list
              heliograph claude attach

            \(TerminalCall.leaveKey) leaves it running; `heliograph claude attach` comes back to it, also over ssh, \
            and from several windows at a time.

            What is sent from afar is typed for you when nothing runs, no dialog is open and you are not typing; what you \
            have half typed is set aside meanwhile, and given back.

            Exit codes: the agent's own, 0 where you left it running, 2 where it cannot be done so.
            """,
        subcommands: [Start.self, Attach.self, List.self, Hold.self],
        defaultSubcommand: Start.self)

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start it; all that follows is for Claude Code. The word `start` may be left out.")

        @Argument(parsing: .captureForPassthrough, help: "Arguments of Claude Code.")
        var arguments: [String] = []

        func run() throws {
            if let first = arguments.first, arguments.count == 1, ["--help", "-h"].contains(first) {
                throw CleanExit.helpRequest(ClaudeTerminalCommand.self)
            }
            try Failure.reporting { throw ExitCode(try TerminalCall.start(arguments, executable: Executable.path)) }
        }
    }

    struct Attach: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Come back to one that runs. \(TerminalCall.leaveKey) leaves it running again.")

        @Argument(help: "Which, by its ID in the list; may be left out where only one runs.")
        var id: String?

        func run() throws {
            try Failure.reporting { throw ExitCode(try TerminalCall.attach(id)) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show those that run, and what they do.")

        func run() { TerminalCall.list() }
    }

    /// What `start` starts.
    struct Hold: ParsableCommand {
        static let configuration = CommandConfiguration(shouldDisplay: false)

        /// This program, then what is for Claude Code.
        @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

        func run() throws {
            guard let executable = arguments.first else { throw ValidationError("`start` names the program.") }
            throw ExitCode(TerminalCall.hold(Array(arguments.dropFirst()), executable: executable))
        }
    }
}
