import ArgumentParser
import Glibc
import HeliographClient
import HeliographHost
import HeliographServer
import RelayAccess
import RelayProtocol

/// `heliograph host trust`
struct HostTrust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Let one device sign what this machine's agents may do. Waits until it has joined.",
        discussion: """
            Shows a link that carries a secret from this terminal to the device; the relay never gets it. From the first \
            device on this host takes only what a trusted device has signed (--consent signed).

              heliograph host trust
              heliograph host trust --url https://relay.example   as devices reach it
              heliograph host trust --history from-now            reads nothing older
            """)

    @Option(
        help: ArgumentHelp(
            "The address by which the device reaches the relay. Default: what the relay says, or what this host uses.",
            valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "What the device reads of what was sealed before it came: all or from-now.",
            valueName: "all|from-now"))
    var history = "all"

    @Option(help: "What the device may do at the relay if it is new there: client or operator.")
    var role = "client"

    @Flag(help: "Print the link without the picture of it, which screen readers read block by block.")
    var noPicture = false

    @Flag(help: "Print JSON: the link in a line, and the device in another.")
    var json = false

    func validate() throws {
        if ![PairingRole.client, .operator].map(\.rawValue).contains(role) {
            throw ValidationError("--role is client or operator.")
        }
        if !TrustCall.historyWords.contains(history) { throw ValidationError("--history is all or from-now.") }
        if let url, PublicURL.read(url) == nil { throw ValidationError("--url takes \(PublicURL.takes).") }
    }

    func run() throws {
        try Failure.reporting {
            let configuration = try HostConfiguration.load()
            let invitation = try TrustCall.invite(history: history)
            let link = self.link(configuration.relay, invitation)
            show(link, invitation)
            fflush(nil)
            let device = try TrustCall.wait()
            if json {
                Output.json { writer in
                    writer.object("device") {
                        $0.field("id", device.id)
                        $0.field("code", device.code)
                        $0.field("name", device.name)
                    }
                }
            } else {
                print("Trusted: \(VisibleText.line(device.name))  \(device.code)")
                print(
                    "The device shows the same code. If it shows another one: \(Executable.shown) host distrust \(device.code)")
            }
        }
    }

    /// The link to show. For a device that is new to the relay it also contains a pairing code, if the relay gives this terminal
    /// one.
    private func link(_ relay: RelayAddress, _ invitation: TrustCall.Invitation) -> String {
        let paired = HeliographClient.ClientCommands.pairingLink(
            ClientCommandOptions.options(for: relay), role: PairingRole(rawValue: role) ?? .client)
        if let paired, let mark = paired.firstIndex(of: "#") {
            let base = url.flatMap(PublicURL.read) ?? String(paired[..<mark])
            return "\(base.hasSuffix("/") ? base : base + "/")\(paired[mark...])&k=\(invitation.secret)"
        }
        let base = url.flatMap(PublicURL.read) ?? relay.description
        return "\(base.hasSuffix("/") ? base : base + "/")#k=\(invitation.secret)"
    }

    private func show(_ link: String, _ invitation: TrustCall.Invitation) {
        if json {
            return Output.json { writer in
                writer.field("link", link)
                writer.field("host", invitation.host)
                writer.field("expiresAt", invitation.expiresAt)
            }
        }
        print("\nOpen this on the device that shall decide for this machine:\n\n   \(link)\n")
        if !noPicture, let picture = try? PairingScreen.picture(of: link) { print(picture) }
        if !link.contains("#pair=") {
            print("The device has to be paired with the relay already: heliograph pair, on the relay's machine.")
        }
        print("In a terminal: \(Executable.shown) trust '\(link)'")
        print("It works once, for ten minutes. Waiting for the device; Ctrl-C takes the link back.")
    }
}

/// `heliograph host devices`
struct HostDevices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices that this host trusts.")

    @Flag(help: "Print JSON, with the public keys that `heliograph audit verify` takes.")
    var json = false

    func run() throws { try Failure.reporting { print(try TrustCall.devices(isJSON: json)) } }
}

/// `heliograph host distrust`
struct HostDistrust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distrust",
        abstract: "Stop trusting a device, and refuse what it signs.",
        discussion: """
            What it allowed before goes on. Its access to the relay is another matter: heliograph token revoke, there.
            """)

    @Argument(help: "The device's code or id, as `heliograph host devices` lists it.")
    var device: String

    func run() throws {
        try Failure.reporting {
            print("\(VisibleText.line(try TrustCall.distrust(device))) is trusted no more.")
        }
    }
}

/// `heliograph host passkey`
struct HostPasskey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "Take a device's passkey for what your rules want confirmed.",
        discussion: """
            A person set it up on the page, under Devices, which shows the same code. From then on that device can allow what a rule \
            with answer = "passkey" holds for.
            """)

    @Argument(help: "The passkey's code, as the page and `host devices` show it.")
    var code: String

    func run() throws {
        try Failure.reporting {
            let (device, origin) = try TrustCall.takePasskey(code)
            print("The passkey of \(VisibleText.line(device)) at \(VisibleText.line(origin)) is taken.")
        }
    }
}
