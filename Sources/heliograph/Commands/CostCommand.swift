import ArgumentParser
import HeliographHost

/// `heliograph cost`
struct CostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost", abstract: "Say what models cost that Claude Code does not know.", subcommands: [Price.self])

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
