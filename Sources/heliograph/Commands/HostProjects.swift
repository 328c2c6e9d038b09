import ArgumentParser
import HeliographHost

/// `heliograph host projects`
struct HostProjects: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects",
        abstract: "List the folders of this host in which clients may start sessions: none, until you add one.",
        discussion: """
              heliograph host projects add ~/work/site
              heliograph host projects list
              heliograph host projects remove site

            Anyone who may steer this host may then start agents there, which can do what you can do there. \
            Adding a folder says that you trust it: no agent asks for that again.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let clients start sessions in this folder.")

        @Argument(help: "The folder.")
        var directory: String

        @Option(help: "The name that people see for it. Default: the folder's own name.")
        var name: String?

        @Flag(help: "Add it although it is, or contains, your home with your keys and settings.")
        var homeToo = false

        func run() throws {
            try Failure.reporting { print(try ProjectsCall.add(directory, name: name, isHome: homeToo)) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List them.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws { try Failure.reporting { print(try ProjectsCall.list(isJSON: json)) } }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stop clients from starting sessions there.")

        @Argument(help: "Its name, or the folder.")
        var project: String

        func run() throws { try Failure.reporting { print(try ProjectsCall.remove(project)) } }
    }
}
