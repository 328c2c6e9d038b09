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

    /// Opens the relay's data. Throws if no relay is set up there, because a mistyped folder must not become a new relay.
    func open(beside data: DataOption) throws -> Administration {
        if address == nil { try Administration.checkAccess(to: data.path) }
        guard address != nil || Administration.isSetUp(in: data.path) else {
            throw CommandError(.notFound, "No relay is set up in \(data.path): heliograph serve\(data.flag)")
        }
        return try Administration(directory: data.path, store: address)
    }
}
