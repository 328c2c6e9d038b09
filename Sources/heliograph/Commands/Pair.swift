import ArgumentParser
import HeliographServer
import HeliographQRCode
import RelayAccess
import RelayProtocol

/// `heliograph pair`
struct Pair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a link that lets one device in, once, within ten minutes.",
        discussion: """
            Run it on the relay's machine.

              heliograph pair                               a page, a phone or a terminal
              heliograph pair --role operator               one that also steers agents
              heliograph pair --role watcher                one that only watches
              heliograph pair --role host                   a machine with agents
              heliograph pair --url https://relay.example   where the device reaches it
            """)

    @OptionGroup var data: DataOption

    @OptionGroup var database: DatabaseOption

    @Option(help: "What the link is for: client, operator, watcher or host.")
    var role = "client"

    @Option(
        help: ArgumentHelp(
            "The address by which the device reaches the relay. Default: what the relay last listened on.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The workspace that it gives access to. Default: the first.", valueName: "name"))
    var workspace: String?

    @Flag(help: "Print the link without the picture of it, which screen readers read block by block.")
    var noPicture = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if PairingRole(rawValue: role) == nil { throw ValidationError("--role is client, operator, watcher or host.") }
        if let url, PublicURL.read(url) == nil { throw ValidationError("--url takes \(PublicURL.takes).") }
    }

    func run() throws {
        try Failure.reporting {
            let administration = try database.open(beside: data)
            let base = try Self.base(of: administration, url, database, data)
            let named = try administration.workspace(workspace)
            let code = try administration.credentials(in: named).makePairingCode(PairingRole(rawValue: role) ?? .client)
            let link = code.link(base: base) + HostSecret.part(for: code.role)
            Self.warn(of: base, code.role)
            if json {
                Output.json { writer in
                    writer.field("link", link)
                    writer.field("role", role)
                    writer.field("expiresAt", code.expiresAt)
                    if workspace != nil { writer.object("workspace") { named.write(to: &$0) } }
                }
                return
            }
            if workspace != nil { print("\nInto the workspace \(VisibleText.line(named.name)):") }
            print("\n   \(link)\n")
            if code.role.isClient {
                // The picture leads a browser to the page, which does not work below a path.
                if !noPicture, RelayAddress(base)?.prefix.isEmpty != false {
                    print(try PairingScreen.picture(of: link, folder: data.path))
                }
                print("Open it on the device. It works once, for ten minutes.")
            } else {
                print("On the machine with the agents: \(Executable.shown) host '\(link)'")
            }
        }
    }

    /// The address in links: `url`, or the one at which the relay last listened. Prints a remark if no relay runs there now.
    static func base(
        of administration: Administration, _ url: String?, _ database: DatabaseOption, _ data: DataOption
    ) throws -> String {
        let known = url.flatMap(PublicURL.read) ?? administration.publicURL
        if database.address != nil, known == nil {
            throw CommandError(.notFound, "Nobody here knows where the relay is reached: say so (--url).")
        }
        let isRunning = try administration.isRunning
        if isRunning, known == nil {
            throw CommandError(
                .notFound,
                "\(data.path)/relay.url, which says where the relay is reached, is gone: say so (--url), or restart the relay."
            )
        }
        if !isRunning {
            Output.remark("no relay runs there now; the link works once one does: heliograph serve\(data.flag)")
        }
        return known ?? "http://127.0.0.1:8787"
    }

    /// Warns of a problem with the address that the device would find out later, or not at all.
    static func warn(of base: String, _ role: PairingRole) {
        guard let relay = RelayAddress(base) else { return }
        if relay.isOpenToOthers {
            Output.remark(
                role.isClient
                    ? "warning: \(relay) is not encrypted: others on the network can read the token, and a browser gets no notifications "
                        + "there (README, “Your phone”)"
                    : "warning: \(relay) is not encrypted: a host refuses to send its token there")
        }
        if !relay.prefix.isEmpty, role.isClient {
            Output.remark("warning: the page does not work below a path: \(relay) is for apps and terminals only")
        }
    }
}
