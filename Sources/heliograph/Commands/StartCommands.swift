import ArgumentParser
import HeliographClient

/// The host and folder in which a session is started.
struct LaunchPlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The host, by its name or id. Default: the one that has the project.", valueName: "host"))
    var host: String?

    @Option(help: "The agent. Default: the only one that can be started there.")
    var agent: String?
}

/// Options with which a session is started.
struct LaunchOptions: ParsableArguments {
    @OptionGroup var place: LaunchPlaceOptions

    @Option(help: "One of the modes that the host offers. Default: the one that asks most.")
    var mode: String?

    @Option(help: "The model. Default: the agent's own.")
    var model: String?

    @OptionGroup var pictures: PictureOptions

    /// `prompt`: the session's first prompt.
    func validate(_ prompt: String?) throws {
        if !pictures.picture.isEmpty, prompt == nil { throw ValidationError("Pictures go with a prompt.") }
    }

    func wish(_ project: String?) -> LaunchWish {
        var wish = LaunchWish(project: project)
        wish.pictures = pictures.picture
        (wish.host, wish.agent, wish.mode, wish.model) = (place.host, place.agent, mode, model)
        return wish
    }
}

/// `heliograph start`
struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a session in a project of a host.",
        discussion: """
              heliograph start site
              heliograph start site 'fix the failing test' --mode plan
              heliograph start site 'what is wrong here?' --picture screen.png
              git log -5 | heliograph start site - --host laptop --agent claude

            The projects are those that the host's owner has allowed: heliograph projects \
            shows them. The command ends when the session has begun and has taken its prompt.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions
    @OptionGroup var launch: LaunchOptions

    @Argument(help: "The project, by its name or folder.")
    var project: String

    @Argument(help: "The first prompt; `-` reads it from standard input.")
    var prompt: String?

    func validate() throws { try launch.validate(prompt) }

    func run() throws {
        var wish = launch.wish(project)
        wish.text = prompt
        try steering.launch(wish)
    }
}

/// `heliograph resume`
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continue a past session of a project.",
        discussion: """
              heliograph projects site
              heliograph resume site 2f1c7c5e-0d51-4c63-9c1e-7b0f3a6d2e11
              heliograph resume site 2f1c7c5e-0d51-4c63-9c1e-7b0f3a6d2e11 'go on'

            A session that is open in any program is refused.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions
    @OptionGroup var launch: LaunchOptions

    @Argument(help: "The project, by its name or folder.")
    var project: String

    @Argument(help: "The session, by the whole id that `heliograph projects PROJECT` shows.")
    var session: String

    @Argument(help: "The next prompt; `-` reads it from standard input.")
    var prompt: String?

    func validate() throws { try launch.validate(prompt) }

    func run() throws {
        var wish = launch.wish(project)
        (wish.past, wish.text) = (session, prompt)
        try steering.launch(wish)
    }
}

/// `heliograph projects`
struct ProjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects",
        abstract: "Show where sessions can be started, or the past sessions of a project.",
        discussion: """
              heliograph projects
              heliograph projects site
              heliograph projects site --agent codex

            The host lists past sessions, so you need the right to steer it.

            \(ClientExit.help)
            """)

    @OptionGroup var steering: SteeringOptions

    @OptionGroup var place: LaunchPlaceOptions

    @Argument(help: "List the past sessions of this project.")
    var project: String?

    func run() throws {
        guard let project else {
            return try ClientCommandOptions.end(HeliographClient.ClientCommands.projects(steering.client.options))
        }
        var wish = LaunchWish(project: project)
        (wish.host, wish.agent, wish.isList) = (place.host, place.agent, true)
        try steering.launch(wish)
    }
}
