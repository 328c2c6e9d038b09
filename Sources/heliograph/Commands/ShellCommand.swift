import ArgumentParser
import HeliographHost

/// `heliograph shell`
struct ShellCommand: TerminalProgram {
    static let kind = HeldKind.shell
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Run any program in a terminal that your devices can see and type into.",
        discussion: """
              heliograph shell -- vim notes.md
              heliograph shell -- ./install.sh
              heliograph shell list
              heliograph shell attach

            Its screen is on the page, live, while somebody looks at it. Devices that may steer can type there, as \
            you can here; watchers only see. Nothing of the screen or the keys is stored.

            \(TerminalCall.leaveKey) leaves it running; `heliograph shell attach` comes back to it.

            Exit codes: the program's own, 0 if you left it running, 2 if it cannot run this way.
            """,
        subcommands: [Start.self, TerminalAttach<Self>.self, TerminalList<Self>.self, TerminalHold<Self>.self],
        defaultSubcommand: Start.self)

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a program. You may leave out the word `start`.")

        @Argument(parsing: .postTerminator, help: "The program and its arguments, after `--`.")
        var command: [String] = []

        func run() throws {
            guard !command.isEmpty else { throw ValidationError("Name the program after `--`: heliograph shell -- vim") }
            try Failure.reporting { throw ExitCode(try TerminalCall(.shell).start(command, executable: Executable.path)) }
        }
    }
}
