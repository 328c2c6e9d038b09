import ArgumentParser
import HeliographHost

/// `heliograph connect`
struct Connect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have an agent on this machine report to Heliograph.",
        discussion: """
            Adds hooks and a status line to Claude Code's settings, or has the host attach to the server that Codex shares with its \
            terminal. Shows the change first; your own hooks and status line stay.

              heliograph connect claude             for all your projects
              heliograph connect claude --project   for the project in this folder
              heliograph connect claude --dry-run   show the change and do nothing
              heliograph connect claude --ask Bash  have it ask before every command
              heliograph connect codex              Codex, beside its own terminal

            In auto mode, its own default, Claude Code runs most commands without asking; then there is nothing to approve. \
            --ask adds permission rules that make it ask all the same; `disconnect` removes them again.
            """)

    @OptionGroup var target: ConnectTarget

    @Flag(help: "Also turn on the agent's todo tools. This changes what its model is offered.")
    var todoTools = false

    @Option(help: "Also make the agent ask: a permission rule, such as Bash, Edit or 'Bash(git push:*)'. May be repeated.")
    var ask: [String] = []

    func run() throws {
        try Failure.reporting {
            if try target.isCodex(others: todoTools || !ask.isEmpty) {
                throw ExitCode(try CodexConnect.connect(assumeYes: target.yes, dryRun: target.dryRun))
            }
            throw ExitCode(
                try ConnectCommand.connect(
                    scope: target.scope, executable: Executable.path, todoTools: todoTools, askRules: ask,
                    assumeYes: target.yes, dryRun: target.dryRun))
        }
    }
}

/// `heliograph disconnect`
struct Disconnect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove exactly what `connect` added.",
        discussion: "  heliograph disconnect claude")

    @OptionGroup var target: ConnectTarget

    func run() throws {
        try Failure.reporting {
            if try target.isCodex() {
                throw ExitCode(try CodexConnect.disconnect(assumeYes: target.yes, dryRun: target.dryRun))
            }
            throw ExitCode(
                try ConnectCommand.disconnect(scope: target.scope, assumeYes: target.yes, dryRun: target.dryRun))
        }
    }
}

struct ConnectTarget: ParsableArguments {
    enum Agent: String, ExpressibleByArgument, CaseIterable { case claude, codex }

    @Argument(help: "The agent.")
    var agent: Agent

    @Flag(exclusivity: .exclusive, help: "Where the settings are: all your projects, or the one in this folder.")
    var place = Place.user

    enum Place: String, EnumerableFlag { case user, project }

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Show the change and do nothing.")
    var dryRun = false

    /// What only Claude Code has is refused for Codex.
    func isCodex(others: Bool = false) throws -> Bool {
        guard agent == .codex else { return false }
        guard place == .user, !others else {
            throw ValidationError("Codex has no settings by project, rules or todo tools here.")
        }
        return true
    }

    var scope: ConnectCommand.Scope { place == .user ? .user : .project }
}

/// `heliograph hook`: for the agent, not for people. The short way is in `Heliograph.main`.
struct Hook: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Called by an agent's hooks; `connect` installs it.", shouldDisplay: false)

    @Argument var agent: String
    @Argument var event: String

    func run() throws { throw ExitCode(HookCall.run(agent: agent, event: event)) }
}

/// `heliograph statusline`: likewise.
struct StatusLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statusline", abstract: "Called by an agent for its status line; `connect` installs it.",
        shouldDisplay: false)

    @Argument var agent: String
    @Option var wrap: String?

    func run() throws { throw ExitCode(StatusLineCall.run(agent: agent, wrapped: wrap)) }
}
