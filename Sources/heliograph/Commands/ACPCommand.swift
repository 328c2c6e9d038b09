import ArgumentParser
import HeliographHost
import HeliographServer
import Logging

/// `heliograph acp`
struct ACPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acp",
        abstract: "Stand between an editor and an agent that speak the Agent Client Protocol.",
        discussion: """
            In your editor's settings, put `heliograph acp --` before the agent's command. Everything between the two goes through \
            unchanged; what happens is reported, and what the agent asks can be answered from your phone as well: the first answer wins. \
            A phone with the role operator can send prompts and interrupt, one turn at a time with the editor.

              heliograph acp -- vibe-acp
              heliograph acp -- openhands acp

            Without an editor it is the client itself: at a terminal, or for one prompt.

              heliograph acp -- vibe-acp
              heliograph acp --prompt 'run the tests and mend what fails' -- vibe-acp
            """)

    @Option(help: "Have the agent do this in this folder, and end. What it asks is denied if nobody decides within an hour.")
    var prompt: String?

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical. JSON lines on standard error.")
    var logLevel = "notice"

    @Argument(parsing: .postTerminator, help: "The agent's command, after `--`.")
    var agent: [String] = []

    func validate() throws {
        if Logger.Level(rawValue: logLevel) == nil { throw ValidationError("--log-level \(logLevel) is none of the levels.") }
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
