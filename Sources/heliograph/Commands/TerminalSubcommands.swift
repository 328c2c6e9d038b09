import ArgumentParser
import HeliographHost

/// `heliograph claude` or `heliograph shell`: what starts a program with its own screen.
protocol TerminalProgram: ParsableCommand {
    static var kind: HeldKind { get }
}

struct TerminalAttach<Program: TerminalProgram>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "attach", abstract: "Come back to one that runs. \(TerminalCall.leaveKey) leaves it running again.")
    }

    @Argument(help: "The one to come back to, by its ID in the list; you may leave it out if only one runs.")
    var id: String?

    func run() throws { try Failure.reporting { throw ExitCode(try TerminalCall(Program.kind).attach(id)) } }
}

struct TerminalList<Program: TerminalProgram>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "list", abstract: "List those that run, and what they do.")
    }

    func run() { TerminalCall(Program.kind).list() }
}

/// Process that holds the terminal, begun by the subcommand `start`.
struct TerminalHold<Program: TerminalProgram>: ParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: "hold", shouldDisplay: false) }

    /// Path of this program, then the arguments of the program that it holds.
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws {
        guard let executable = arguments.first else { throw ValidationError("`start` names the program.") }
        throw ExitCode(TerminalCall(Program.kind).hold(Array(arguments.dropFirst()), executable: executable))
    }
}
