import ArgumentParser
import HeliographClient

/// `heliograph export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print all that the relay keeps of a session, or of all, as JSON lines.",
        discussion: """
            Each line has a session, the event's number and the event, oldest first. What a host has sealed is opened with this \
            terminal's keys. What this terminal may not open, or what the relay has left out, is counted at the end, on standard error.

              heliograph export > events.jsonl
              heliograph export claude-d51202 | jq 'select(.event.kind == "message")'

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Argument(help: "A session's id, the beginning of it, or `latest`. Default: all.")
    var session: String?

    func run() throws {
        try ClientCommandOptions.end(HeliographClient.ClientCommands.export(client.options, session))
    }
}
