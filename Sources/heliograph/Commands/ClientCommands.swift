import ArgumentParser
import HeliographClient
import RelayProtocol

/// `heliograph sessions`
struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List sessions, those that need you first.",
        discussion: """
              heliograph sessions
              heliograph sessions --json | jq '.sessions[] | select(.approvals > 0)'

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Flag(help: "Also list those that ended more than a day ago (`--json` always does).")
    var all = false

    func run() throws {
        try ClientCommandOptions.end(HeliographClient.ClientCommands.sessions(client.options, showsAll: all))
    }
}

/// `heliograph watch`
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens, in all sessions or in one.",
        discussion: """
              heliograph watch
              heliograph watch latest --last 50
              heliograph watch claude-d51202 --json

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Argument(help: "A session's id, the beginning of it, or `latest`. Default: all.")
    var session: String?

    @Option(help: "How many of the last events to show first.")
    var last = 20

    @Flag(help: "Print what there is, and end.")
    var once = false

    @Option(name: .customLong("for"), help: ArgumentHelp("End after this many seconds.", valueName: "seconds"))
    var seconds: Int?

    @Flag(help: "Also show what is seldom of interest, such as usage.")
    var verbose = false

    func run() throws {
        var watch = WatchOptions()
        watch.session = session
        watch.last = last
        watch.isOnce = once
        watch.duration = seconds.map { .seconds($0) }
        watch.showsMinor = verbose
        try ClientCommandOptions.end(HeliographClient.ClientCommands.watch(client.options, watch))
    }
}

/// `heliograph login`
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pair this terminal with a link.",
        discussion: """
            On the relay's own machine you can watch without it. Hosts there take decisions and prompts only from a terminal that
            they trust: pair it with a link of `heliograph pair --role operator`, or use `heliograph host trust`.

              heliograph login 'https://relay.example/#pair=CODE'
              heliograph login -     reads it: no other user of this machine can
            """)

    @OptionGroup var client: PairingOptions

    @Argument(help: "The link that `heliograph pair` or the page made; - reads it.")
    var link: String

    @Option(help: "What others see when this terminal decides. Default: the machine's name.")
    var name: String?

    func run() throws {
        try ClientCommandOptions.end(HeliographClient.ClientCommands.login(client.options, link: link, name: name))
    }
}

/// `heliograph trust`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Have a host trust this terminal, bring other devices, and end that.",
        discussion: """
            At the host: heliograph host trust. It shows what to paste here.

              heliograph trust 'https://relay.example/#k=SECRET'
              heliograph trust -                   reads it: no other user can
              heliograph trust --vouch             let another device in at the same hosts
              heliograph trust --devices           which devices these hosts trust
              heliograph trust --distrust CODE     one of these no more
              heliograph trust --renew             after a host was restored from a backup

            \(ClientExit.help)
            """)

    @OptionGroup var client: ClientCommandOptions

    @Argument(help: "The link that a host's terminal or a device shows, or its secret; - reads it.")
    var link: String?

    @Flag(
        help: ArgumentHelp(
            "Show a link for one more device. Once both screens show the same code, the hosts that trust this terminal, and let it, trust that one, too."
        ))
    var vouch = false

    @Option(help: "With --vouch: what the device may do at the relay if it is new there: client or operator.")
    var role: String?

    @Flag(help: "With --vouch: print the link without the picture of it.")
    var noPicture = false

    @Flag(help: "List the devices trusted by the hosts that trust this terminal.")
    var devices = false

    @Option(
        help: ArgumentHelp(
            "Have them trust this device no more: its code or id, as --devices lists it.", valueName: "device"))
    var distrust: String?

    @Flag(help: "Confirm this terminal to hosts that were restored from older files.")
    var renew = false

    @Option(help: "What the host calls this terminal. Default: the machine's name.")
    var name: String?

    func validate() throws {
        if [link != nil, vouch, devices, distrust != nil, renew].count(where: \.self) != 1 {
            throw ValidationError("It takes a link, or --vouch, --devices, --distrust or --renew.")
        }
        if (role != nil || noPicture) && !vouch { throw ValidationError("--role and --no-picture go with --vouch.") }
        if let role, ![PairingRole.client, .operator].map(\.rawValue).contains(role) {
            throw ValidationError("--role is client or operator.")
        }
    }

    func run() throws {
        let exit =
            if let link {
                HeliographClient.ClientCommands.trust(client.options, link, name: name)
            } else if vouch {
                HeliographClient.ClientCommands.vouch(client.options, wish)
            } else if renew {
                HeliographClient.ClientCommands.renewTrust(client.options)
            } else {
                HeliographClient.ClientCommands.trusted(client.options, distrust: distrust)
            }
        try ClientCommandOptions.end(exit)
    }

    private var wish: VouchOptions {
        VouchOptions(role: role.flatMap(PairingRole.init(rawValue:)) ?? .client) { [noPicture] link in
            noPicture ? nil : try? PairingScreen.picture(of: link)
        }
    }
}

/// `heliograph logout`
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke this terminal's token, and forget it.")

    @OptionGroup var client: PairingOptions

    func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.logout(client.options)) }
}
