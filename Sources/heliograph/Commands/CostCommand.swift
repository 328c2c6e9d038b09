import ArgumentParser
import HeliographClient
import HeliographHost

/// `heliograph cost`
struct CostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost",
        abstract: "See what was used and what it cost.",
        discussion: """
            By day, model, project, host, agent or session, of the last 30 days or since a day of yours. Days are those of this \
            machine's time zone. What a session used stays counted when its history is gone. The cost of a model without a known \
            price is unknown, not zero: `heliograph cost price` sets one. What an agent guesses stands beside the cost.

              heliograph cost
              heliograph cost --by model --since 7d
              heliograph cost --by project --since 2026-11-01 --csv > november.csv
              heliograph cost --json | jq .costs.total.costMicroUSD

            Without a subcommand it lists, and takes the options of `cost list`: --json, --relay and others.

            \(ClientExit.help)
            """,
        subcommands: [List.self, Price.self], defaultSubcommand: List.self)

    /// The day that `--since` names.
    static func day(_ text: String) throws -> LocalDay {
        if let day = CostOptions.since(text, today: LocalDay(at: Moment.now)) { return day }
        throw ValidationError(
            "“\(text)” is no day of the last \(CostOptions.daysMax), such as 2026-11-01, nor a number of days, such as 7d")
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what was used and what it cost.")

        @OptionGroup var client: ClientCommandOptions

        @Option(help: "Sum up by day, model, project, host, agent or session.")
        var by = CostOptions.Dimension.day

        @Option(help: ArgumentHelp("The first day, such as 2026-11-01, or how many days: 7d.", valueName: "day"))
        var since = "30d"

        @Flag(help: "Print comma-separated values.")
        var csv = false

        func validate() throws { _ = try wish }

        func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.costs(client.options, wish)) }

        private var wish: CostOptions {
            get throws {
                if csv, client.json { throw ValidationError("one of --json and --csv") }
                var wish = CostOptions(since: try CostCommand.day(since))
                wish.dimension = by
                wish.isCSV = csv
                return wish
            }
        }
    }

    struct Price: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the price of a model on this host, or list what is set.",
            discussion: """
                Claude Code gives a model that it does not know, such as one behind a gateway, the price of another one. Such a sum is \
                shown as a guess, and is in no budget. With a price of yours the cost is counted from the tokens instead, on this \
                machine, also of sessions that run already.

                  heliograph cost price llama3.3:70b --input 0.59 --output 0.79
                  heliograph cost price qwen3:32b --input 0 --output 0
                  heliograph cost price
                  heliograph cost price qwen3:32b --remove
                """)

        @Argument(help: "The model, as Claude Code is told it. Without it the prices are listed.")
        var model: String?

        @Option(help: "Dollars for a million tokens of input.")
        var input: Double?

        @Option(help: "Dollars for a million tokens of output.")
        var output: Double?

        @Option(help: "Dollars for a million tokens that a cache already had. Default: as for input.")
        var cacheRead: Double?

        @Option(help: "Dollars for a million tokens that are written to a cache. Default: as for input.")
        var cacheWrite: Double?

        @Flag(help: "Remove its price.")
        var remove = false

        @Flag(help: "Print JSON: micro-dollars for a million tokens.")
        var json = false

        func validate() throws {
            let hasPrice = [input, output, cacheRead, cacheWrite].contains { $0 != nil }
            guard model != nil else {
                if hasPrice || remove { throw ValidationError("Name the model.") }
                return
            }
            if json { throw ValidationError("--json lists: leave the model out.") }
            if remove == hasPrice || hasPrice && (input == nil || output == nil) {
                throw ValidationError("Say --input and --output, in dollars for a million tokens, or --remove.")
            }
        }

        func run() throws {
            try Failure.reporting {
                guard let model else { return print(try PriceCall.list(isJSON: json)) }
                guard let input, let output else { return print(try PriceCall.remove(model)) }
                let dollars = PriceCall.Dollars(input: input, output: output, cacheRead: cacheRead, cacheWrite: cacheWrite)
                print(try PriceCall.set(model, dollars))
            }
        }
    }
}

extension CostOptions.Dimension: ExpressibleByArgument {}
