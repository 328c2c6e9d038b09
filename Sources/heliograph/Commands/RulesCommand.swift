import ArgumentParser
import Glibc
import HeliographHost

/// `heliograph rules`
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Have this host answer for you what you would answer the same way each time.",
        discussion: """
            The rules are in rules.toml beside this host's configuration. What allows counts only after you have accepted \
            the file as it is; what denies or asks counts at once.

              heliograph rules check draft.toml
              heliograph rules list
              heliograph rules accept
            """,
        subcommands: [List.self, Check.self, Accept.self], defaultSubcommand: List.self)

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

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the rules that allow count, until the file changes.",
            discussion: "Shows them and asks at the terminal. A script names what was looked at: --digest.")

        @Option(help: "The file's digest, as `heliograph rules list --json` prints it.")
        var digest: String?

        func run() throws {
            try Failure.reporting {
                if let digest { return try RulesCall.accept(digest) }
                let offered = try RulesCall.offered()
                guard isatty(STDIN_FILENO) == 1 else {
                    throw ValidationError("Without a terminal, name what is accepted: --digest.")
                }
                print(offered.words)
                print("Accept these rules? [y/N] ", terminator: "")
                fflush(nil)
                guard Input.isYes() else { throw ExitCode.failure }
                try RulesCall.accept(offered.digest)
                print("Accepted.")
            }
        }
    }
}
