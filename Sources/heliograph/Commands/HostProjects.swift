import ArgumentParser
import HeliographHost

/// `heliograph host projects`
struct HostProjects: ParsableCommand {
    /// Two words, of which the parser would take the second for the link that `host` takes: it gets them as one.
    static let words = ["host", "projects"]

    static let configuration = CommandConfiguration(
        commandName: HostProjects.words.joined(separator: " "),
        abstract: "The folders in which sessions may be started here from afar: none, until you add one.",
        discussion: """
              heliograph host projects add ~/work/site
              heliograph host projects list
              heliograph host projects remove site

            Whoever may steer this host may start agents there, which do what you could do there. \
            No agent asks whether it trusts the folder: adding it says so.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let sessions be started in this folder.")

        @Argument(help: "The folder.")
        var directory: String

        @Option(help: "What people know it by. Default: the folder's own name.")
        var name: String?

        @Flag(help: "The folder is your home, or holds it, with your keys and settings: you mean it.")
        var homeToo = false

        func run() throws {
            try Failure.reporting { print(try ProjectsCall.add(directory, name: name, isHome: homeToo)) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show them.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws { try Failure.reporting { print(try ProjectsCall.list(isJSON: json)) } }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let nothing be started there any more.")

        @Argument(help: "Its name, or the folder.")
        var project: String

        func run() throws { try Failure.reporting { print(try ProjectsCall.remove(project)) } }
    }
}
