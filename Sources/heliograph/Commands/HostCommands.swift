import ArgumentParser
import HeliographHook
import HeliographHost

/// `heliograph connect`
struct Connect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the agents on this machine report to Heliograph.", discussion: AgentCommands.connect.help)

    @OptionGroup var target: ConnectTarget

    @Flag(help: "Also turn on the agent's todo tools. This changes what its model is offered.")
    var todoTools = false

    @Option(help: "Also make the agent ask: a permission rule, such as Bash, Edit or 'Bash(git push:*)'. May be repeated.")
    var ask: [String] = []

    private var request: ConnectRequest {
        var request = target.request
        request.todoTools = todoTools
        request.askRules = ask
        return request
    }

    func validate() throws { try target.validate(request) }

    func run() throws {
        try Failure.reporting { throw ExitCode(try AgentCommands.connect.connect(target.agent?.name, request)) }
    }
}

/// `heliograph disconnect`
struct Disconnect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove exactly what `connect` added.",
        discussion: """
              heliograph disconnect          all that are connected
              heliograph disconnect claude
            """)

    @OptionGroup var target: ConnectTarget

    func validate() throws { try target.validate(target.request) }

    func run() throws {
        try Failure.reporting { throw ExitCode(try AgentCommands.connect.disconnect(target.agent?.name, target.request)) }
    }
}

struct ConnectTarget: ParsableArguments {
    /// The name of an agent that can be connected.
    struct Agent: ExpressibleByArgument {
        static let allValueStrings = AgentCommands.connect.names

        let name: String

        init?(argument: String) {
            guard Self.allValueStrings.contains(argument) else { return nil }
            name = argument
        }
    }

    @Argument(help: "The agent. Default: all that are found.")
    var agent: Agent?

    @Flag(exclusivity: .exclusive, help: "Where the settings are: all your projects, or the one in this folder.")
    var place = Place.user

    enum Place: String, EnumerableFlag { case user, project }

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Show the change line by line, too.")
    var diff = false

    @Flag(help: "Show the change line by line, and do nothing.")
    var dryRun = false

    var request: ConnectRequest {
        var request = ConnectRequest(executable: Executable.path)
        request.place = place == .user ? .user : .project
        request.assumeYes = yes
        request.showsLines = diff
        request.dryRun = dryRun
        return request
    }

    func validate(_ request: ConnectRequest) throws {
        if let words = AgentCommands.connect.objection(to: request, of: agent?.name) { throw ValidationError(words) }
    }
}

/// `heliograph hook`: for agents, not for people. `Heliograph.main` usually handles it without the parser.
struct Hook: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Called by an agent's hooks; `connect` installs it.", shouldDisplay: false)

    @Argument var agent: String
    @Argument var event: String

    func run() throws { throw ExitCode(AgentCall.hook(agent: agent, event: event)) }
}

/// `heliograph statusline`: the same for the status line.
struct StatusLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statusline", abstract: "Called by an agent for its status line; `connect` installs it.",
        shouldDisplay: false)

    @Argument var agent: String
    @Option var wrap: String?

    func run() throws { throw ExitCode(AgentCall.statusLine(agent: agent, wrapped: wrap)) }
}
