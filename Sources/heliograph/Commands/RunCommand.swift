import ArgumentParser
import HeliographHost

/// `heliograph run`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run Claude Code so that clients can steer it: prompts, interrupts, its mode and model.",
        discussion: """
            It runs without its own screen: type prompts here, one a line, or send them from where you watch. You can answer its \
            questions in either place; the first answer wins.

              heliograph run -- claude
              heliograph run -- claude --permission-mode manual --model opus
              heliograph run -- claude --resume 2f1c7c5e-0d51-4c63-9c1e-7b0f3a6d2e11

            Ctrl-C interrupts what it does, Ctrl-D ends the session. `claude --resume ID` continues it on its own screen.

            Without a terminal, a question that nobody decides in time is denied.

            Exit codes: the agent's own, 2 if it may not be started this way, 126 or 127 if it cannot be started.
            """)

    @Option(
        help: ArgumentHelp(
            "Without a terminal: how long a permission waits for a decision before it is denied, a day at most.",
            valueName: "seconds"))
    var wait: Int64 = 3_600

    @Option(help: .hidden)
    var folder: String?

    @Option(help: .hidden)
    var session: String?

    @Argument(parsing: .postTerminator, help: "The agent's command, after `--`.")
    var agent: [String] = []

    func validate() throws {
        guard (1...86_400).contains(wait) else { throw ValidationError("--wait is between 1 and 86400 seconds.") }
        if agent.first?.isEmpty != false { throw ValidationError("Name the agent after `--`: heliograph run -- claude") }
    }

    func run() throws {
        try Failure.reporting {
            throw ExitCode(
                try RunCall.run(
                    agent, executable: Executable.path, waitSeconds: wait,
                    start: folder.map { RunStart(folder: $0, session: session) }))
        }
    }
}
