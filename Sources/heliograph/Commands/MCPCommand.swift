import ArgumentParser
import HeliographHost
import HeliographServer

/// `heliograph mcp`
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let whatever speaks MCP ask a person: an MCP server on standard input and output.",
        discussion: """
            Its tools are `ask` (a question with choices or in own words), `approve` (an action with its exact input), `notify` and \
            `progress`. Questions appear wherever you watch your agents. Your agent's client starts it:

              claude mcp add person -- heliograph mcp
              codex mcp add person -- heliograph mcp

            Claude Code without a terminal asks before each tool that it may not use by its own rules:

              claude -p 'fix the test' --permission-prompt-tool mcp__person__approve

            A Claude Code that is connected (heliograph connect) needs no such tool: its hooks ask already, and with both there \
            is one card, the hook's.

            If the host or its relay is away, the client's own form asks (elicitation). Without one, or if nobody decides in time, \
            the call ends with an error. Nothing but a person's yes allows anything.
            """)

    @Option(help: ArgumentHelp("How long to wait for an answer, a day at most.", valueName: "seconds"))
    var wait: Int64 = 3_600

    func validate() throws {
        guard (1...86_400).contains(wait) else { throw ValidationError("--wait is between 1 and 86400 seconds.") }
    }

    func run() throws {
        try Failure.reporting {
            throw ExitCode(try MCPCall.run(waitSeconds: wait, version: ServerConfiguration.version))
        }
    }
}
