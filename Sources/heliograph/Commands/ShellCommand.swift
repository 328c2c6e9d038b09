import ArgumentParser
import HeliographHost

/// `heliograph shell`
struct ShellCommand: ParsableCommand {
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
        subcommands: [Start.self, Attach.self, List.self, Hold.self],
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

    struct Attach: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Come back to one that runs. \(TerminalCall.leaveKey) leaves it running again.")

        @Argument(help: "The one to come back to, by its ID in the list; you may leave it out if only one runs.")
        var id: String?

        func run() throws {
            try Failure.reporting { throw ExitCode(try TerminalCall(.shell).attach(id)) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List those that run.")

        func run() { TerminalCall(.shell).list() }
    }

    /// The process that `heliograph shell` starts to hold the terminal.
    struct Hold: ParsableCommand {
        static let configuration = CommandConfiguration(shouldDisplay: false)

        /// This program's path, then the command.
        @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

        func run() throws {
            guard let executable = arguments.first else { throw ValidationError("`start` names the program.") }
            throw ExitCode(TerminalCall(.shell).hold(Array(arguments.dropFirst()), executable: executable))
        }
    }
}
