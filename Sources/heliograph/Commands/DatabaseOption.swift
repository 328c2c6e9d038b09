import ArgumentParser
import HeliographServer

/// `--store`: the database of relays on other machines.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "The database of relays on other machines. Default: where the relay of the data directory keeps its data.",
            valueName: "url"))
    var address: String?

    func open(beside data: DataOption) throws -> Administration {
        try Administration(directory: data.path, store: address)
    }
}
