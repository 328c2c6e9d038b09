import ArgumentParser

/// How `up` and `join` set this machine up.
struct SetUpOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name that people see for this machine. Default: its own name.", valueName: "name"))
    var name: String?

    @Flag(name: .shortAndLong, help: "Change the agents' settings without asking.")
    var yes = false

    @Flag(help: "Do not use systemd, even if there is one.")
    var supervised = false

    /// The same for another command.
    var words: [String] {
        (name.map { ["--name", $0] } ?? []) + (yes ? ["--yes"] : []) + (supervised ? ["--supervised"] : [])
    }
}
