import ArgumentParser
import Glibc
import HeliographServer
import Logging
import RelayProtocol

/// `heliograph serve`
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the relay.",
        discussion: """
            Listens on this machine only, unless told otherwise. The first start creates the data directory, its secrets and one \
            workspace. On a terminal it prints how to pair a phone and how to connect a host.

              heliograph serve
              heliograph serve --public-url https://relay.example   behind a proxy
              heliograph serve --listen 0.0.0.0:8787 \\
                --tls-certificate relay.pem --tls-key relay.key

            Each option can also be an environment variable or a line in relay.json; `heliograph config keys` lists them.
            """)

    @OptionGroup var place: ServePlace
    @OptionGroup var options: ServeOptions

    func run() throws {
        let settings = try Failure.reporting {
            try place.data.checkIsNamed()
            return try options.effective(at: place)
        }
        var configuration = settings.configuration
        try Failure.reporting { try configuration.takePassedSocket(environment: Environment.all) }
        let level = configuration.logLevel
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
        configuration.executable = Executable.path
        let directory = configuration.dataDirectory
        try Failure.reporting {
            try RelayServer.run(configuration) { addresses in
                // Printed line by line, so that a reader through a pipe sees it at once.
                print(
                    isatty(STDOUT_FILENO) == 1
                        ? Self.welcome(addresses, directory, place.data.flag)
                        : "heliograph is listening on \(addresses.places)\n"
                            + "To pair a phone, a browser or a terminal: \(Executable.shown) pair\(place.data.flag)\n"
                            + "To connect a machine with agents: \(Executable.shown) pair --role host\(place.data.flag)")
                fflush(nil)
                if let warning = addresses.warning { Output.remark(warning) }
            }
        }
    }

    /// The next steps for the person. Codes are shown only on a terminal, because a journal is no place for them.
    private static func welcome(_ addresses: RelayAddresses, _ directory: String, _ data: String) -> String {
        guard let client = try? addresses.credentials.makePairingCode(.client),
            let host = try? addresses.credentials.makePairingCode(.host)
        else { return "Heliograph is listening on \(addresses.places), but its data file takes no pairing codes." }
        let link = client.link(base: addresses.publicURL) + HostSecret.part(for: client.role)
        let code = (try? PairingScreen.picture(of: link, folder: directory)) ?? ""
        let command = Executable.shown
        return """

            Heliograph is listening on \(addresses.places)
            Its data is in \(directory)

            1. Open this on the device that shall watch and decide (it works once, for ten minutes):

               \(link)

            \(code)
            2. Connect the Claude Code of this machine, in a second terminal (Codex: `connect codex`):

               \(command) connect claude && \\
               \(command) host '\(host.link(base: addresses.localURL))'

            Later: `\(command) pair\(data)` makes a new link, `\(command) watch\(data)` follows along in a terminal.

            """
    }
}
