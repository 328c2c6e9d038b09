import ArgumentParser
import HeliographHost

/// `heliograph claude`
struct ClaudeTerminalCommand: TerminalProgram {
    static let kind = HeldKind.claude
    static let configuration = CommandConfiguration(
        commandName: "claude",
        abstract: "Run your own Claude Code with its own screen, which you can leave, come back to, and steer remotely.",
        discussion: """
              heliograph claude
              heliograph claude start --permission-mode manual --model opus
              heliograph claude list
              heliograph claude attach

            \(TerminalCall.leaveKey) leaves it running; `heliograph claude attach` comes back to it, also over ssh, \
            and from several windows at a time.

            Prompts from clients are typed for you when nothing runs, no dialog is open and you are not typing; text that \
            you have half typed is set aside meanwhile, and comes back.

            Exit codes: the agent's own, 0 if you left it running, 2 if it cannot run this way.
            """,
        subcommands: [Start.self, TerminalAttach<Self>.self, TerminalList<Self>.self, TerminalHold<Self>.self],
        defaultSubcommand: Start.self)

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start it; everything that follows is for Claude Code. You may leave out the word `start`.")

        @Argument(parsing: .captureForPassthrough, help: "Arguments of Claude Code.")
        var arguments: [String] = []

        func run() throws {
            if let first = arguments.first, arguments.count == 1, ["--help", "-h"].contains(first) {
                throw CleanExit.helpRequest(ClaudeTerminalCommand.self)
            }
            try Failure.reporting { throw ExitCode(try TerminalCall(.claude).start(arguments, executable: Executable.path)) }
        }
    }
}
