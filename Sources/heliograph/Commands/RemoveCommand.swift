import ArgumentParser
import HeliographClient

/// `heliograph remove`
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a session and its events from the relay, for good.",
        discussion: """
            The agent is not told: a session that goes on begins again with what it does next. Decide first what waits in it.

              heliograph remove claude-d51202 --yes

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Argument(help: "A session's id, or the beginning of it.")
    var session: String

    @Flag(help: "Its events are gone afterwards: nothing is removed without this.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("this removes the session and its events for good; if you mean it, add --yes") }
    }

    func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.remove(client.options, session: session)) }
}
