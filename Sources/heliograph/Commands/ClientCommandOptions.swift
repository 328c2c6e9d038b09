import ArgumentParser
import Foundation
import HeliographClient
import HeliographServer
import RelayAccess

/// Options of client commands that name their relay by a link, or forget it.
struct PairingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Trust these authorities too, PEM. Default: $HELIOGRAPH_CA_FILE.", valueName: "file"))
    var caFile: String?

    @Flag(help: "Print JSON.")
    var json = false

    var options: ClientOptions {
        var options = ClientOptions()
        options.certificateAuthorityFile = caFile
        options.isJSON = json
        options.software = ServerConfiguration.software
        options.ownData = {
            let data = DataOption.standard
            return Administration.isSetUp(in: data) ? data : nil
        }
        return options
    }
}

/// Options of every other client command.
struct ClientCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The relay's address. Default: $HELIOGRAPH_RELAY, else what `login` or this machine's relay said.", valueName: "url"
        ))
    var relay: String?

    @Option(help: ArgumentHelp("Trust these authorities too, PEM. Default: $HELIOGRAPH_CA_FILE.", valueName: "file"))
    var caFile: String?

    @Flag(help: "Print JSON: a list is one document, a stream is one object a line.")
    var json = false

    @OptionGroup var data: DataOption

    /// Options for another kind of command that asks that relay for something.
    static func options(for relay: RelayAddress) -> ClientOptions {
        var options = ClientOptions()
        options.relay = relay.description
        options.software = ServerConfiguration.software
        options.fallbackCredentials = { credentialsOfThisMachine(DataOption.standard, named: relay.description) }
        return options
    }

    var options: ClientOptions {
        var options = ClientOptions()
        options.relay = relay
        options.certificateAuthorityFile = caFile
        options.isJSON = json
        options.software = ServerConfiguration.software
        let (directory, named) = (data.path, relay ?? Environment.value("HELIOGRAPH_RELAY"))
        options.fallbackCredentials = { Self.credentialsOfThisMachine(directory, named: named) }
        options.namedData = data.given == nil ? nil : directory
        return options
    }

    /// Credentials on the relay's own machine, where a terminal needs no pairing: a user who can read the data directory is its
    /// owner. The terminal connects to the local address, unless the command names the published one.
    private static func credentialsOfThisMachine(_ directory: String, named: String?) -> HeliographClient.Credentials? {
        do throws(ServerError) { try Administration.checkAccess(to: directory) } catch { Output.remark(error.description) }
        guard Administration.isSetUp(in: directory), let administration = try? Administration(directory: directory),
            let local = administration.localAddress
        else { return nil }
        let published = administration.publicURL.flatMap { RelayAddress($0) }
        let relay = named.flatMap { RelayAddress($0) } == published ? published ?? local : local
        guard
            let token = try? administration.terminalToken(name: "terminal on \(ProcessInfo.processInfo.hostName)")
        else { return nil }
        return HeliographClient.Credentials(relay: relay, token: token)
    }

    /// Ends a client command with the exit code of its result.
    static func end(_ exit: ClientExit) throws { if exit != .done { throw ExitCode(exit.rawValue) } }
}
