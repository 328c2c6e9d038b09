import ArgumentParser
import HeliographClient

/// `heliograph ask-all`
struct AskAllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask-all",
        abstract: "Make an agent ask before everything it does, or only when its own rules say so.",
        discussion: """
              heliograph ask-all on
              heliograph ask-all claude-d51202 on
              heliograph ask-all claude-d51202 off

            While it is on, every tool of the session asks, also those that its rules or its \
            mode would let run. You can answer wherever you watch, and where it runs. It \
            stays on until you turn it off, whatever is restarted meanwhile.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(help: ArgumentHelp("The session (default: the one that takes it), and on or off.", valueName: "session> <on|off"))
    var words: [String]

    func validate() throws {
        let (_, word) = try SteeringOptions.split(words, "word")
        if word != "on", word != "off" { throw ValidationError("Say on or off.") }
    }

    func run() throws {
        let (session, word) = try SteeringOptions.split(words, "word")
        try steering.steer(.askAll(word), session: session)
    }
}
