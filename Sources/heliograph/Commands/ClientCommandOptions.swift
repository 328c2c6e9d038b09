import ArgumentParser
import Foundation
import HeliographClient
import HeliographServer
import RelayAccess

/// What every client command takes.
struct ClientCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The relay's address. Default: $HELIOGRAPH_RELAY, else what `login` or this machine's relay said.", valueName: "url"
        ))
    var relay: String?

    @Option(help: ArgumentHelp("Trust these authorities too, PEM. Default: $HELIOGRAPH_CA_FILE.", valueName: "file"))
    var caFile: String?

    @Flag(help: "Print JSON: one document for a list, one object a line for what goes on.")
    var json = false

    @OptionGroup var data: DataOption

    var options: ClientOptions {
        var options = ClientOptions()
        options.relay = relay
        options.certificateAuthorityFile = caFile
        options.isJSON = json
        options.software = ServerConfiguration.software
        let directory = data.path
        options.fallbackCredentials = { Self.credentialsOfThisMachine(directory) }
        return options
    }

    /// On the relay's own machine a terminal needs no pairing: who can read the data directory is its owner.
    private static func credentialsOfThisMachine(_ directory: String) -> HeliographClient.Credentials? {
        guard FileManager.default.fileExists(atPath: directory + "/heliograph.sqlite"),
            let administration = try? Administration(directory: directory), let url = administration.relayURL,
            let relay = RelayAddress(url),
            let token = try? administration.terminalToken(name: "terminal on \(ProcessInfo.processInfo.hostName)")
        else { return nil }
        return HeliographClient.Credentials(relay: relay, token: token)
    }

    /// A client command says how it ended by its exit code.
    static func end(_ exit: ClientExit) throws { if exit != .done { throw ExitCode(exit.rawValue) } }
}
