import ArgumentParser
import Glibc
import HeliographClient
import HeliographHost

/// `heliograph rules`
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Have this host answer for you what you would answer the same way each time.",
        discussion: """
            The rules are in rules.toml beside this host's configuration. What allows counts only after you have accepted \
            the file as it is; what denies or asks counts at once.

              heliograph rules suggest
              heliograph rules try draft.toml
              heliograph rules list
              heliograph rules accept
              heliograph rules off tests --host laptop
              heliograph rules change tests narrower.toml --host laptop
            """,
        subcommands: [List.self, Check.self, Try.self, Suggest.self, Accept.self, Add.self, Change.self, Off.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List them, and say whether they were accepted.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws { try Failure.reporting { print(try RulesCall.list(isJSON: json)) } }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Read a file of rules, and say what is wrong in it.")

        @Argument(help: "The file.")
        var file: String

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws { try Failure.reporting { print(try RulesCall.check(file, isJSON: json)) } }
    }

    /// The choice of kept requests.
    struct Past: ParsableArguments {
        @Option(help: ArgumentHelp("The first day, such as 2026-11-01, or how many days: 7d.", valueName: "day"))
        var since = "30d"

        @Option(help: ArgumentHelp("Requests of another host than this machine.", valueName: "name"))
        var host: String?

        @OptionGroup var client: ClientCommandOptions

        func validate() throws { _ = try first }

        private var first: LocalDay { get throws { try CostCommand.day(since) } }

        /// Prints the text that `words` makes of the sessions.
        func run(_ words: @escaping ([KeptSession]) throws -> String) throws {
            guard let host = host ?? RulesCall.hostName() else {
                throw ValidationError("This machine is no host: name one with --host.")
            }
            var outcome: Result<String, any Error>?
            let wish = HistoryOptions(host: .named(host), since: try first.begin)
            let exit = HeliographClient.ClientCommands.history(client.options, wish) { sessions in
                outcome = Result { try words(sessions) }
            }
            if let outcome { return print(try outcome.get()) }
            try ClientCommandOptions.end(exit)
        }
    }

    struct Try: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what rules would have answered to the requests that the relay keeps.",
            discussion: """
                Says for each rule how often it would have answered, and how people did; and names each request that a person \
                denied and these rules would have allowed. Paths are resolved as they are on this machine now.
                """)

        @Argument(help: "A file of rules. Default: this host's own.")
        var file: String?

        @Flag(help: "Print every request too, with the answer and its reason.")
        var all = false

        @OptionGroup var past: Past

        func run() throws {
            try Failure.reporting {
                try past.run { try RulesCall.tried(file, on: $0, showsAll: all, isJSON: past.client.json) }
            }
        }
    }

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print rules that would have answered as people did each time.",
            discussion: """
                From what was answered the same way five times or more, and never otherwise. Nothing is changed: what you want \
                of it, you take over into rules.toml.
                """)

        @OptionGroup var past: Past

        func run() throws {
            try Failure.reporting { try past.run { try RulesCall.suggested(from: $0, isJSON: past.client.json) } }
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the rules that allow count, until the file changes.",
            discussion: """
                Shows them and asks at the terminal. What was switched off from afar allows again then. A script names what was \
                looked at: --digest, and --again for each rule that was off.
                """)

        @Option(help: "The file's digest, as `heliograph rules list --json` prints it; `none` if it is gone.")
        var digest: String?

        @Option(help: ArgumentHelp("With --digest: a rule that was switched off, and is to allow again.", valueName: "name"))
        var again: [String] = []

        func validate() throws {
            if !again.isEmpty, digest == nil { throw ValidationError("--again goes with --digest.") }
        }

        func run() throws {
            try Failure.reporting {
                if let digest { return try RulesCall.accept(digest, again: Set(again)) }
                let offered = try RulesCall.offered()
                guard isatty(STDIN_FILENO) == 1 else {
                    throw ValidationError("Without a terminal, name what is accepted: --digest.")
                }
                print(offered.words)
                print("Accept these rules? [y/N] ", terminator: "")
                fflush(nil)
                guard Input.isYes() else { throw ExitCode.failure }
                try RulesCall.accept(offered.digest, again: offered.off)
                print("Accepted.")
            }
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a rule to a host from afar, signed by this terminal.",
            discussion: """
                  heliograph rules add draft.toml --host laptop

                The file has one rule. It is shown as it is, and added after a yes. The host has to trust this terminal \
                (heliograph host trust), and its owner must have accepted its rules as they are.

                \(ClientExit.help)
                """)

        @OptionGroup var steering: SteeringOptions

        @Option(help: ArgumentHelp("The host, by its name or id. Default: the one that takes rules.", valueName: "host"))
        var host: String?

        @Flag(help: "Do not ask.")
        var yes = false

        @Argument(help: "A file with one rule.")
        var file: String

        func run() throws {
            let text = try RulesCommand.read(file, question: yes ? nil : "Add this rule?")
            try steering.steer(.ruleAdd(text, host: host), session: nil)
        }
    }

    /// The one rule in the file. With a `question`, a person has seen it and agreed.
    private static func read(_ file: String, question: String?) throws -> String {
        let text = try Failure.reporting { try RulesCall.oneRule(in: file) }
        guard let question else { return text }
        guard isatty(STDIN_FILENO) == 1 else { throw ValidationError("This is no terminal: add --yes.") }
        print(text)
        print("\(question) [y/N] ", terminator: "")
        fflush(nil)
        guard Input.isYes() else { throw ExitCode.failure }
        return text
    }

    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a rule in the place of another from afar, signed by this terminal.",
            discussion: """
                  heliograph rules change tests narrower.toml --host laptop

                The file has one rule, which may have another name. Until it stands there the old one answers, then the new one: \
                there is no moment in between. Only a rule that allows can be changed so, at a host that trusts this terminal \
                (heliograph host trust) and whose owner has accepted its rules as they are.

                \(ClientExit.help)
                """)

        @OptionGroup var steering: SteeringOptions

        @Option(help: ArgumentHelp("The host, by its name or id. Default: the one that has the rule.", valueName: "host"))
        var host: String?

        @Flag(help: "Do not ask.")
        var yes = false

        @Argument(help: "The name of the rule that goes.")
        var name: String

        @Argument(help: "A file with the rule that takes its place.")
        var file: String

        func run() throws {
            let text = try RulesCommand.read(file, question: yes ? nil : "Put this rule in the place of \(name)?")
            try steering.steer(.ruleChange(name, to: text, host: host), session: nil)
        }
    }

    struct Off: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a rule back from afar: its host asks a person again.",
            discussion: """
                  heliograph rules off tests
                  heliograph rules off tests --host laptop

                The rule stays in the file, and allows nothing until its owner has run `heliograph rules accept` on that \
                machine. Only a rule that allows can be taken back so. Afterwards it prints what ran by the rule, unless \
                with --json.

                \(ClientExit.help)
                """)

        @OptionGroup var steering: SteeringOptions

        @Option(help: ArgumentHelp("The host, by its name or id. Default: the one that has the rule.", valueName: "host"))
        var host: String?

        @Option(help: ArgumentHelp("The first day of what ran: 2026-11-01, or how many days: 7d.", valueName: "day"))
        var since = "7d"

        @Argument(help: "The rule's name.")
        var name: String

        func validate() throws { _ = try CostCommand.day(since) }

        func run() throws {
            try steering.steer(.ruleOff(name, host: host), session: nil)
            guard !steering.client.json else { return }
            let wish = HistoryOptions(host: .having(rule: name, named: host), since: try CostCommand.day(since).begin)
            // The rule is off, also if what ran cannot be read: that says so itself.
            _ = HeliographClient.ClientCommands.history(steering.client.options, wish) { [name] sessions in
                print(RulesCall.ran(by: name, in: sessions))
            }
        }
    }
}
