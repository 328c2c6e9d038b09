import ArgumentParser
import HeliographHost
import HeliographServer
import Logging

/// `heliograph acp`
struct ACPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acp",
        abstract: "Connect an editor and an agent that speak the Agent Client Protocol, and show you what happens.",
        discussion: """
            In your editor's settings, put `heliograph acp --` before the agent's command. Everything between the two goes through \
            unchanged; what happens is reported, and you can also answer the agent's questions from your phone: the first answer wins. \
            A phone with the role operator can send prompts and interrupt; it shares the turns with the editor.

              heliograph acp -- vibe-acp
              heliograph acp -- openhands acp

            Without an editor it is itself the client, at a terminal or for one prompt.

              heliograph acp -- vibe-acp
              heliograph acp --prompt 'run the tests and fix what fails' -- vibe-acp
            """)

    @Option(help: "Let the agent do this in this folder, and end. A question that nobody decides within an hour is denied.")
    var prompt: String?

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical. JSON lines on standard error.")
    var logLevel = "notice"

    @Argument(parsing: .postTerminator, help: "The agent's command, after `--`.")
    var agent: [String] = []

    func validate() throws {
        if Logger.Level(rawValue: logLevel) == nil { throw ValidationError("--log-level \(logLevel) is not a level.") }
        if prompt?.isEmpty == true { throw ValidationError("--prompt is empty.") }
        if agent.first?.isEmpty != false { throw ValidationError("Name the agent after `--`: heliograph acp -- vibe-acp") }
    }

    func run() throws {
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
        try Failure.reporting {
            throw ExitCode(
                try ACPCall.run(
                    agent, prompt: prompt, software: ServerConfiguration.software, logger: Logger(label: "heliograph.acp")))
        }
    }
}
