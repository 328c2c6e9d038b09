import ArgumentParser
import HeliographClient

/// `heliograph budget`, also spelled `heliograph budgets`
struct BudgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budget",
        abstract: "See what is spent, and limit it.",
        discussion: """
            Clients and phones are told when a level is reached. With --hold every tool of Claude Code needs approval once the \
            budget is spent, whatever mode it is in. Codex then asks about all but what its own rules trust. Agents behind \
            `heliograph acp` ask as before: what they ask needs a person, and those that do not ask take no prompts from clients \
            meanwhile. The list names the sessions that cannot be held as a whole. A session's own budget replaces the one of every \
            session. Days are UTC. What Claude Code guesses for a model whose price it does not know is in no budget: see \
            `heliograph cost price`.

              heliograph budgets
              heliograph budget set --day 20 --hold
              heliograph budget set --every-session 2.50 --levels 50,100
              heliograph budget set --session latest 5
              heliograph budget clear --day

            Without a subcommand it lists, and takes the options of `budget list`: --json, --relay and others.

            \(ClientExit.help)
            """,
        subcommands: [List.self, Set.self, Clear.self],
        defaultSubcommand: List.self,
        aliases: ["budgets"])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List budgets, and what is spent of each.")

        @OptionGroup var client: ClientCommandOptions

        func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.budgets(client.options)) }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a budget, or replace it.",
            discussion: "What is spent stays spent. A level that was already reached is not announced again.")

        @OptionGroup var client: ClientCommandOptions
        @OptionGroup var scope: BudgetScopeOptions

        @Argument(help: ArgumentHelp("How much may be spent, such as 5 or 0.25.", valueName: "dollars"))
        var dollars: String

        @Option(help: ArgumentHelp("At which levels to tell people, in percent. Default: 50,80,100.", valueName: "percents"))
        var levels: String?

        @Flag(
            help: """
                From 100 % on every tool needs approval: all of Claude Code, all but what its own rules trust of Codex, and of \
                agents behind `heliograph acp` what they ask about. `heliograph budgets` names the sessions.
                """)
        var hold = false

        func validate() throws { _ = try wish }

        func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.setBudget(client.options, wish)) }

        private var wish: BudgetOptions {
            get throws {
                guard let amount = BudgetOptions.microUSD(dollars) else {
                    throw ValidationError("“\(dollars)” is not an amount of dollars, such as 5 or 0.25")
                }
                var wish = BudgetOptions(try scope.scope, microUSD: amount)
                if let levels {
                    guard let list = BudgetOptions.levels(levels) else {
                        throw ValidationError("“\(levels)” are not percents in ascending order, such as 50,80,100")
                    }
                    wish.levels = list
                }
                wish.holds = hold
                return wish
            }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a budget; sessions that it holds go on.")

        @OptionGroup var client: ClientCommandOptions
        @OptionGroup var scope: BudgetScopeOptions

        func validate() throws { _ = try scope.scope }

        func run() throws {
            let wish = BudgetOptions(try scope.scope, microUSD: 0)
            try ClientCommandOptions.end(HeliographClient.ClientCommands.setBudget(client.options, wish))
        }
    }
}

/// Scope of the budget: exactly one of these.
struct BudgetScopeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("For one session: its id, the beginning of it, or `latest`.", valueName: "session"))
    var session: String?

    @Flag(help: "For each session that has none of its own.")
    var everySession = false

    @Flag(help: "For all sessions together in one day, UTC.")
    var day = false

    @Flag(help: "For all sessions together, from now on.")
    var workspace = false

    var scope: BudgetOptions.Scope {
        get throws {
            var chosen: [BudgetOptions.Scope] = []
            if let session { chosen.append(.session(session)) }
            if everySession { chosen.append(.everySession) }
            if day { chosen.append(.day) }
            if workspace { chosen.append(.workspace) }
            guard let scope = chosen.first, chosen.count == 1 else {
                throw ValidationError("say which budget: one of --session, --every-session, --day and --workspace")
            }
            return scope
        }
    }
}
