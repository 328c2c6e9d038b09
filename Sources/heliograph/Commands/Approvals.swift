import ArgumentParser
import HeliographClient

/// `heliograph approvals`
struct Approvals: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "See what agents ask for, and decide.",
        discussion: """
              heliograph approvals
              heliograph approvals show a1f
              heliograph approvals allow a1f
              heliograph approvals allow a1f --offer s0
              heliograph approvals allow a1f --input edited.json
              heliograph approvals deny a1f -m 'use the staging database'
              heliograph approvals answer a1f --choose q0=Blue

            Without a subcommand it lists, and takes the options of `approvals list`: --all, --json, --relay and others.

            \(ClientExit.help)
            """,
        subcommands: [List.self, Show.self, Allow.self, Deny.self, Answer.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what is pending.")

        @OptionGroup var client: ClientCommandOptions

        @Flag(help: "Also list those that were decided or closed lately.")
        var all = false

        func run() throws {
            try ClientCommandOptions.end(HeliographClient.ClientCommands.approvals(client.options, showsAll: all))
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one in full.")

        @OptionGroup var client: ClientCommandOptions

        @Argument(help: "The approval's id, or the beginning of it.")
        var id: String

        func run() throws {
            try ClientCommandOptions.end(HeliographClient.ClientCommands.showApproval(client.options, approval: id))
        }
    }

    struct Allow: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Allow exactly what is shown.", discussion: "Shows the whole command and asks, unless told --yes.")

        @OptionGroup var common: DecisionOptions

        @Flag(help: "Do not ask.")
        var yes = false

        @Option(
            help: "For a plan, how the agent continues: default (asks before each edit) or acceptEdits (edits without asking).")
        var mode: String?

        @Option(
            help: ArgumentHelp(
                "Take an option that the agent itself offers, such as to allow always; 'approvals show' lists them with their exact rules.",
                valueName: "offer"))
        var offer: String?

        @Option(
            help: ArgumentHelp(
                "Allow it with another input: a file of JSON, whole or only what changes; - reads it here.", valueName: "file"))
        var input: String?

        func validate() throws {
            guard input == nil || (mode == nil && offer == nil) else {
                throw ValidationError("--input goes with neither --mode nor --offer")
            }
        }

        func run() throws {
            let wish = input.map { DecideOptions.Wish.edit(file: $0) } ?? .allow(mode: mode, offer: offer)
            try common.decide(wish, isConfirmed: yes)
        }
    }

    struct Deny: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deny, and say why.")

        @OptionGroup var common: DecisionOptions

        @Option(name: [.short, .long], help: "What the agent's model is told.")
        var message: String?

        @Option(help: ArgumentHelp("Take an option that the agent itself offers, such as to deny always.", valueName: "offer"))
        var offer: String?

        func run() throws { try common.decide(.deny(message: message, offer: offer)) }
    }

    struct Answer: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer a question.", discussion: "Asks on the terminal if neither --choose nor --text is given.")

        @OptionGroup var common: DecisionOptions

        @Option(help: ArgumentHelp("A choice, such as q0=Blue; several as q0=Blue,Red.", valueName: "question=label"))
        var choose: [String] = []

        @Option(help: ArgumentHelp("An answer in your own words, such as q0='both'.", valueName: "question=text"))
        var text: [String] = []

        func run() throws { try common.decide(.answer(choices: choose, texts: text)) }
    }
}

struct DecisionOptions: ParsableArguments {
    @OptionGroup var client: ClientCommandOptions

    @Argument(help: "The approval's id, or the beginning of it.")
    var id: String

    @Option(
        help: ArgumentHelp(
            "Decide only if the input has this digest; for scripts that checked it before.", valueName: "sha256"))
    var digest: String?

    @Option(help: ArgumentHelp("How long to wait for the outcome.", valueName: "seconds"))
    var wait = 10

    func decide(_ wish: DecideOptions.Wish, isConfirmed: Bool = false) throws {
        var options = DecideOptions(wish, approval: id)
        options.isConfirmed = isConfirmed
        options.digest = digest
        options.wait = .seconds(wait)
        try ClientCommandOptions.end(HeliographClient.ClientCommands.decide(client.options, options))
    }
}
