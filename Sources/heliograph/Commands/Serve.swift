import ArgumentParser
import Glibc
import HeliographServer
import Logging
import QRCode
import RelayCore
import RelayProtocol
import WebSocketEngine

/// `heliograph serve`
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the relay.",
        discussion: """
            Listens on this machine only, unless told otherwise. The first start makes the data directory, its secrets and one \
            workspace. On a terminal it prints how to pair a phone and how to connect a host.

              heliograph serve
              heliograph serve --listen 0.0.0.0:8787 --tls-certificate relay.pem --tls-key relay.key
              heliograph serve --public-url https://relay.example     behind a reverse proxy
            """)

    @OptionGroup var data: DataOption

    @Option(help: "Address and port to listen on.")
    var listen = "127.0.0.1:8787"

    @Option(help: ArgumentHelp("What others type to reach this relay, such as https://relay.example.", valueName: "url"))
    var publicURL: String?

    @Option(help: ArgumentHelp("Certificate chain, PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("Private key, PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(help: ArgumentHelp("Serve the page from this folder instead of the one in the binary.", valueName: "folder"))
    var webRoot: String?

    @Option(
        help: ArgumentHelp(
            "Remove sessions in which nothing has happened for so many days; 0 keeps all.", valueName: "days"))
    var keepDays = 90

    @Option(
        help: ArgumentHelp(
            "Above so many megabytes of events, remove the oldest: ended sessions first; 0 keeps all.", valueName: "megabytes"))
    var keepMegabytes = 4096

    @Option(
        help: ArgumentHelp(
            "Ping a peer that is silent for so many seconds; hang up after twice as many.", valueName: "seconds"))
    var heartbeat = 15

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical. JSON lines on standard error.")
    var logLevel = "notice"

    func validate() throws {
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        if Logger.Level(rawValue: logLevel) == nil { throw ValidationError("--log-level \(logLevel) is none of the levels.") }
        if !(0...36_500).contains(keepDays) { throw ValidationError("--keep-days takes 0 to 36500.") }
        if !(0...(1 << 30)).contains(keepMegabytes) { throw ValidationError("--keep-megabytes takes 0 to \(1 << 30).") }
        if !(1...3600).contains(heartbeat) { throw ValidationError("--heartbeat takes 1 to 3600 seconds.") }
        _ = try address
        if let publicURL, !publicURL.hasPrefix("https://"), !publicURL.hasPrefix("http://") {
            throw ValidationError("--public-url begins with https:// (or http://).")
        }
    }

    func run() throws {
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
        var configuration = ServerConfiguration(dataDirectory: data.path)
        (configuration.host, configuration.port) = try address
        configuration.publicURL = publicURL.map { String($0.reversed().drop { $0 == "/" }.reversed()) }
        configuration.webRoot = webRoot
        configuration.executable = Executable.path
        configuration.retention = Retention(
            ageMax: keepDays == 0 ? nil : Int64(keepDays) * 24 * 60 * 60 * 1000,
            bytesMax: keepMegabytes == 0 ? nil : Int64(keepMegabytes) << 20)
        configuration.liveness = Liveness(pingAfter: .seconds(heartbeat), hangUpAfter: .seconds(2 * heartbeat))
        if let tlsCertificate, let tlsKey {
            configuration.tls = .init(certificateFile: tlsCertificate, privateKeyFile: tlsKey)
        }
        let directory = data.path
        try Failure.reporting {
            try RelayServer.run(configuration) { addresses in
                // Line by line, so that whoever reads our output through a pipe sees it now.
                print(
                    isatty(STDOUT_FILENO) == 1
                        ? Self.welcome(addresses, directory) : "heliograph is listening on \(addresses.localURL)")
                fflush(nil)
            }
        }
    }

    private var address: (String, UInt16) {
        get throws {
            guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
                throw ValidationError("--listen takes ADDRESS:PORT, such as 127.0.0.1:8787.")
            }
            let host = listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
            return (host.isEmpty ? "0.0.0.0" : String(host), port)
        }
    }

    /// What a person does next. Codes are shown on a terminal only: a journal is no place for them.
    private static func welcome(_ addresses: RelayServer.Addresses, _ directory: String) -> String {
        guard let client = try? addresses.credentials.makePairingCode(.client),
            let host = try? addresses.credentials.makePairingCode(.host)
        else { return "Heliograph is listening on \(addresses.localURL), but its data file takes no pairing codes." }
        let link = client.link(base: addresses.publicURL)
        let code = (try? QRCode(text: link).terminal()) ?? ""
        let command = Executable.path
        return """

            Heliograph is listening on \(addresses.localURL)
            Its data is in \(directory)

            1. Open this on the device that shall watch and decide (it works once, for ten minutes):

               \(link)

            \(code)
            2. Connect the Claude Code of this machine, in a second terminal:

               \(command) connect claude && \(command) host '\(host.link(base: addresses.localURL))'

            Later: `\(command) pair` makes a new link, `\(command) watch` follows along in a terminal.

            """
    }
}
