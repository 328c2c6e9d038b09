import ArgumentParser
import HeliographServer
import QRCode
import RelayProtocol

/// `heliograph pair`
struct Pair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a link that lets one device in: once, within ten minutes.",
        discussion: """
            Run it on the relay's machine.

              heliograph pair                                     a page, a phone or a terminal
              heliograph pair --role host                         a machine with agents
              heliograph pair --url https://relay.example         the address that the device can reach
            """)

    @OptionGroup var data: DataOption

    @Option(help: "Whom the link is for: client or host.")
    var role = "client"

    @Option(
        help: ArgumentHelp(
            "The relay's address as the device reaches it. Default: what the relay last listened on.", valueName: "url"))
    var url: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if PairingRole(rawValue: role) == nil { throw ValidationError("--role is client or host.") }
    }

    func run() throws {
        try Failure.reporting {
            let administration = try Administration(directory: data.path)
            let code = try administration.credentials.makePairingCode(PairingRole(rawValue: role) ?? .client)
            let link = code.link(base: url ?? administration.relayURL ?? "http://127.0.0.1:8787")
            if json {
                Output.json { writer in
                    writer.field("link", link)
                    writer.field("role", role)
                    writer.field("expiresAt", code.expiresAt)
                }
                return
            }
            print("\n   \(link)\n")
            if code.role == .client {
                print(try QRCode(text: link).terminal())
                print("Open it on the device. It works once, for ten minutes.")
            } else {
                print("On the machine with the agents: \(Executable.path) host '\(link)'")
            }
        }
    }
}
