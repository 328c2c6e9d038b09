import ArgumentParser
import HeliographClient

/// Options of every command that steers a session.
struct SteeringOptions: ParsableArguments {
    @OptionGroup var client: ClientCommandOptions

    @Option(help: ArgumentHelp("How long to wait for the outcome.", valueName: "seconds"))
    var wait = 600

    func steer(_ wish: SteerOptions.Wish, session: String?) throws {
        var options = SteerOptions(wish, session: session)
        options.wait = .seconds(wait)
        try ClientCommandOptions.end(HeliographClient.ClientCommands.steer(client.options, options))
    }

    func launch(_ wish: LaunchWish) throws { try steer(.launch(wish), session: nil) }

    static let session: ArgumentHelp = "A session's id, the beginning of it, or `latest`. Default: the one that takes it."

    /// Splits `[SESSION] LAST`; a single word is the last one.
    static func split(_ words: [String], _ last: String) throws -> (session: String?, last: String) {
        switch words.count {
        case 1: return (nil, words[0])
        case 2: return (words[0], words[1])
        default: throw ValidationError("It takes a session and a \(last): put quotes around a \(last) of several words.")
        }
    }
}

/// Attachments of a prompt.
struct PictureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show the agent a picture with the prompt, if it takes pictures: PNG, JPEG or WebP, at most 768 KiB; up to four times.",
            valueName: "file"))
    var picture: [String] = []

    func validate() throws {
        if picture.count > 4 { throw ValidationError("A prompt takes at most 4 pictures.") }
    }
}

/// `heliograph prompt`
struct PromptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompt",
        abstract: "Tell an agent what to do next, and see whether it took it.",
        discussion: """
              heliograph prompt 'now run the tests'
              heliograph prompt claude-d51202 'use the staging database'
              git diff | heliograph prompt latest -
              heliograph prompt latest 'stop that' --busy steer
              heliograph prompt latest /compact --command
              heliograph prompt latest 'what is wrong here?' --picture screen.png

            The command ends when the agent has shown that it took the prompt, or when it is \
            known that it did not. This terminal needs the right: heliograph pair --role operator.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(
        help: ArgumentHelp(
            "The session (default: the one that takes prompts), and the text; `-` reads it from standard input.",
            valueName: "session> <text"))
    var words: [String]

    @Option(
        help: "While the agent works: queue (it waits), steer (tell it at once, if it takes that) or refuse.")
    var busy = "queue"

    @Flag(help: "The text is one of the agent's own commands. Without this it never counts as one, whatever it begins with.")
    var command = false

    @OptionGroup var pictures: PictureOptions

    func validate() throws {
        _ = try SteeringOptions.split(words, "text")
        if command, !pictures.picture.isEmpty { throw ValidationError("A command of the agent's own takes no pictures.") }
        if !["queue", "steer", "refuse"].contains(busy) { throw ValidationError("--busy is queue, steer or refuse.") }
    }

    func run() throws {
        let (session, text) = try SteeringOptions.split(words, "text")
        try steering.steer(
            .prompt(text: text, whenBusy: busy, isCommand: command, pictures: pictures.picture), session: session)
    }
}

/// `heliograph interrupt`
struct InterruptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Stop what an agent is doing; it then waits for the next prompt.",
        discussion: """
              heliograph interrupt
              heliograph interrupt claude-d51202

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(help: SteeringOptions.session)
    var session: String?

    func run() throws { try steering.steer(.interrupt, session: session) }
}

/// `heliograph mode`
struct ModeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Change an agent's mode to another that its session offers.",
        discussion: """
              heliograph mode plan
              heliograph mode claude-d51202 acceptEdits

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(help: ArgumentHelp("The session (default: the one that takes it), and the mode.", valueName: "session> <mode"))
    var words: [String]

    func validate() throws { _ = try SteeringOptions.split(words, "mode") }

    func run() throws {
        let (session, mode) = try SteeringOptions.split(words, "mode")
        try steering.steer(.mode(mode), session: session)
    }
}

/// `heliograph model`
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Change an agent's model.",
        discussion: """
              heliograph model sonnet
              heliograph model claude-d51202 opus

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(help: ArgumentHelp("The session (default: the one that takes it), and the model.", valueName: "session> <model"))
    var words: [String]

    func validate() throws { _ = try SteeringOptions.split(words, "model") }

    func run() throws {
        let (session, model) = try SteeringOptions.split(words, "model")
        try steering.steer(.model(model), session: session)
    }
}

/// `heliograph stop`
struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a session.",
        discussion: """
              heliograph stop claude-d51202
              heliograph stop claude-d51202 --yes

            To stop only what it is doing: heliograph interrupt.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @Argument(help: "A session's id, the beginning of it, or `latest`.")
    var session: String

    @Flag(help: "Do not ask.")
    var yes = false

    func run() throws { try steering.steer(.stop(isConfirmed: yes), session: session) }
}

/// `heliograph withdraw`
struct WithdrawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Take back a prompt that waits for its agent to be free.",
        discussion: """
              heliograph withdraw
              heliograph withdraw claude-d51202
              heliograph withdraw claude-d51202 c1x9k2

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Argument(help: SteeringOptions.session)
    var session: String?

    @Argument(help: "The prompt, by its id or the beginning of it. Default: the one that waits.")
    var prompt: String?

    func run() throws {
        let options = WithdrawOptions(session: session, prompt: prompt)
        try ClientCommandOptions.end(HeliographClient.ClientCommands.withdraw(client.options, options))
    }
}
