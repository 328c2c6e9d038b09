import ArgumentParser
import Glibc
import HeliographHook
import HeliographHost
import HeliographServer
import RelayAccess
import RelayProtocol

/// `heliograph up`
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Set this machine up: relay and host in the background, its agents connected, a first device.",
        discussion: """
            Says what it would change in your agents' settings and asks once. Relay and host are services of your own systemd, which go on \
            without a login, or supervised processes where there is none. Called again, it changes what is different and lets the rest run; \
            a newer program takes over in place.

              heliograph up
              heliograph up --public-url https://relay.example   the address that your phone uses
              heliograph up --relay 'https://relay.example/#host=CODE'   a host of another relay
              heliograph status
              heliograph down                                    takes it all back
            """)

    @OptionGroup var data: DataOption

    @Option(help: ArgumentHelp("Make this machine a host of another relay, by a link for a host.", valueName: "link"))
    var relay: String?

    @Option(help: ArgumentHelp("Where the relay listens. Default: as before, else 127.0.0.1:8787.", valueName: "address"))
    var listen: String?

    @Option(
        name: .customLong("public-url"), help: ArgumentHelp("The address by which devices reach the relay.", valueName: "url"))
    var publicURL: String?

    @Option(help: ArgumentHelp("The name that people see for this machine. Default: its own name.", valueName: "name"))
    var name: String?

    @Flag(name: .shortAndLong, help: "Change the agents' settings without asking.")
    var yes = false

    @Flag(help: "Do not use systemd, even if there is one.")
    var supervised = false

    @Flag(help: "Set up root's own relay and host.")
    var asRoot = false

    func validate() throws {
        if relay != nil, listen != nil || publicURL != nil || data.given != nil {
            throw ValidationError("--listen, --public-url and --data are for a relay on this machine.")
        }
        if let publicURL, PublicURL.read(publicURL) == nil { throw ValidationError("--public-url takes \(PublicURL.takes).") }
    }

    func run() throws {
        try Failure.reporting {
            guard getuid() != 0 || asRoot else {
                throw CommandError(.declined, "This is for your own account, and you are root. If you mean root's: --as-root.")
            }
            let known = try BackgroundRecord.load()
            let manager = supervised ? .supervised : known?.manager ?? BackgroundServices.manager
            var record = BackgroundRecord(manager, executable: Executable.path)
            record.agents = known?.agents ?? []
            record.lingers = known?.manager == manager && known?.lingers == true
            let services = BackgroundServices()
            if relay == nil { try startRelay(&record, known, services) }
            try startHost(&record, known, services)
            try connectAgents(&record)
            if manager == .systemd, try !services.letLinger(&record) {
                Output.remark("these services end when you log out; root can change that: loginctl enable-linger \(getuid())")
            }
            try tell(record)
        }
    }

    // MARK: - Relay

    /// For a history that has to be brought into a new form.
    private static let relayWithin = Duration.seconds(60)
    private static let hostWithin = Duration.seconds(30)

    private func startRelay(_ record: inout BackgroundRecord, _ known: BackgroundRecord?, _ services: BackgroundServices) throws
    {
        let before = known?.parts.first { $0.name == .relay }
        guard known == nil || before != nil else {
            throw CommandError(
                .declined, "This machine is set up as a host of another relay: heliograph down, then heliograph up.")
        }
        try data.checkIsNamed()
        if before == nil, Administration.isSetUp(in: data.path), try Administration(directory: data.path).isRunning {
            throw CommandError(.declined, "A relay runs with \(data.path) already. End it first: Ctrl-C in its terminal.")
        }
        record.parts = [BackgroundPart(.relay, arguments(before))]
        // A host goes on meanwhile, if its relay does.
        if before == record.parts[0], let host = known?.parts.first(where: { $0.name == .host }) { record.parts.append(host) }
        try services.start(record)
        let folder = data.path
        let isUp = BackgroundServices.wait(Self.relayWithin) {
            Administration.isSetUp(in: folder) && (try? Administration(directory: folder).isServing) == true
        }
        guard isUp else { throw CommandError(.noRelay, "The relay has not come up: heliograph logs says why.") }
    }

    private func arguments(_ before: BackgroundPart?) -> [String] {
        var words = ["serve", "--data", data.path]
        for (option, given) in [("--listen", listen), ("--public-url", publicURL)] {
            if let value = given ?? before?.value(of: option) { words += [option, value] }
        }
        return words
    }

    // MARK: - Host

    private func startHost(_ record: inout BackgroundRecord, _ known: BackgroundRecord?, _ services: BackgroundServices) throws
    {
        if relay != nil, known?.parts.contains(where: { $0.name == .relay }) == true {
            throw CommandError(.declined, "This machine has a relay of its own: heliograph down, then this again.")
        }
        let isOurs = known?.parts.contains { $0.name == .host } == true
        if !isOurs, services.hostStatus != nil {
            throw CommandError(.declined, "A host runs here already. End it first: Ctrl-C in its terminal.")
        }
        let wanted = try addresses()
        var paired = try? HostConfiguration.load()
        if let known = paired?.relay, !wanted.contains(known) {
            // The relay here listens elsewhere now.
            guard isOurs, relay == nil, known.staysHere, let moved = wanted.first else {
                let file = HostConfiguration.file(HostPaths())
                throw CommandError(
                    .declined, "This machine reports to \(known) already. Remove \(file) if it shall not any more.")
            }
            paired?.relay = moved
            try paired?.save()
        }
        if paired == nil {
            let name = try HostCommand.join(link: try hostLink(), name: name)
            print("This machine is paired as \(VisibleText.line(name)).")
        }
        let part = BackgroundPart(.host, ["host", "run"])
        if !record.parts.contains(part) { record.parts.append(part) }
        try services.start(record)
        guard BackgroundServices.wait(Self.hostWithin, until: { services.hostStatus != nil }) else {
            throw CommandError(.noRelay, "The host has not come up: heliograph logs says why.")
        }
    }

    private func addresses() throws -> [RelayAddress] {
        if let relay { return PairingLink(relay).map { [$0.relay] } ?? [] }
        let administration = try Administration(directory: data.path)
        return [administration.localAddress, administration.publicURL.flatMap { RelayAddress($0) }].compactMap(\.self)
    }

    private func hostLink() throws -> String {
        if let relay { return relay }
        let administration = try Administration(directory: data.path)
        guard let address = administration.localAddress else {
            throw CommandError(
                .notFound, "\(data.path)/relay.url, which says where the relay listens, is gone: heliograph down, then up.")
        }
        return try administration.credentials.makePairingCode(.host).link(base: address.description)
    }

    // MARK: - Agents

    private func connectAgents(_ record: inout BackgroundRecord) throws {
        guard let connected = try AgentCommands.connect.connectAll(executable: Executable.path, assumeYes: yes) else {
            return print("No agent's settings were changed. Later: \(Executable.shown) connect, or up again.")
        }
        record.agents += connected.filter { !record.agents.contains($0) }
        try record.save()
    }

    // MARK: - What comes next

    private func tell(_ record: BackgroundRecord) throws {
        print("")
        if relay == nil {
            let administration = try Administration(directory: data.path)
            let base = administration.publicURL ?? "http://127.0.0.1:8787"
            print("The relay listens on \(base); its data is in \(data.path).")
            if try !administration.hasDevices {
                let link =
                    try administration.credentials.makePairingCode(.client).link(base: base) + HostSecret.part(for: .client)
                print("Open this on the device that shall watch and decide (it works once, for ten minutes):\n\n   \(link)\n")
                print(try PairingScreen.picture(of: link))
            } else {
                print("Another device: \(Executable.shown) pair\(data.flag)")
            }
            if RelayAddress(base)?.staysHere == true {
                print(
                    "A phone needs an address that it can reach, by HTTPS: \(Executable.shown) up --public-url https://NAME (README, “Your phone”)."
                )
            }
        } else {
            print("This machine reports to \(try HostConfiguration.load().relay).")
            if let advice = HostCommand.trustAdvice(try HostConfiguration.load()) { print(advice) }
        }
        switch record.manager {
        case .systemd: break
        case .supervised:
            print(
                "There is no systemd for you here: after a restart of this machine, \(Executable.shown) up starts all of it again."
            )
        }
        print("How it is: \(Executable.shown) status. To take it back: \(Executable.shown) down.")
    }
}

/// `heliograph down`
struct DownCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "down",
        abstract: "Take back what `up` did: end relay and host, and disconnect the agents that it connected.",
        discussion: """
            The agents' settings are again what they were. The relay's data and this machine's pairing stay, so that `up` goes on with \
            them; what stays is said.
            """)

    func run() throws {
        try Failure.reporting {
            guard let record = try BackgroundRecord.load() else {
                throw CommandError(.notFound, "Nothing was set up here by heliograph up.")
            }
            // First the hooks: agents would call a host that is gone.
            var request = ConnectRequest(executable: Executable.path)
            request.assumeYes = true
            for agent in AgentCommands.connect.connected(among: record.agents) {
                _ = try AgentCommands.connect.disconnect(agent, request)
            }
            try BackgroundServices().stop(record)
            print("Relay and host have ended, and do not start again.")
            for part in record.parts where part.name == .relay {
                if let folder = part.value(of: "--data") { print("The relay's data stays in \(folder).") }
            }
            print("This machine's pairing, and which devices it trusts, stay in \(HostPaths().configDirectory).")
        }
    }
}

/// `heliograph status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether relay and host run here, and what is connected.",
        discussion: "Exit codes: 0 all that `up` has set up runs, 5 nothing was set up here, 7 some of it does not run.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Failure.reporting {
            let record = try BackgroundRecord.load()
            let state = try LocalState(record)
            if json { state.printJSON() } else { state.printText() }
            guard record != nil else { throw ExitCode(5) }
            guard state.isWell else { throw ExitCode(7) }
        }
    }
}

/// `heliograph logs`
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Show what relay and host have logged in the background.",
        discussion: """
              heliograph logs --follow
            """)

    @Option(name: .shortAndLong, help: "How many lines of each.")
    var lines = 50

    @Flag(name: .shortAndLong, help: "Go on as lines come, until Ctrl-C.")
    var follow = false

    func validate() throws {
        guard (0...1_000_000).contains(lines) else { throw ValidationError("--lines is between 0 and 1000000.") }
    }

    func run() throws {
        try Failure.reporting {
            guard let record = try BackgroundRecord.load() else {
                throw CommandError(.notFound, "Nothing was set up here by heliograph up.")
            }
            try BackgroundServices().showLogs(record, lines: lines, follows: follow)
        }
    }
}

/// `heliograph supervise`: what `up` starts where there is no service manager.
struct SuperviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supervise", abstract: "Keep relay and host running; `up` starts it.", shouldDisplay: false)

    @Option var part: String?
    @Option var parent: Int32?

    func run() throws {
        try Failure.reporting {
            if let name = part.flatMap({ BackgroundPart.Name(rawValue: $0) }), let parent {
                return try Supervisor.become(name, parent: parent)
            }
            throw ExitCode(try Supervisor.run())
        }
    }
}
