import ArgumentParser
import Glibc
import HeliographClient
import HeliographHook
import HeliographHost
import HeliographPlatform
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
              heliograph up --public-url https://relay.example   as your phone reaches it
              heliograph up --tailscale                          by your tailnet
              heliograph up --relay 'https://relay.example/#host=CODE'
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

    @Flag(help: "Let `tailscale serve` give the relay an HTTPS address, for the devices of your tailnet.")
    var tailscale = false

    @OptionGroup var options: SetUpOptions

    @Flag(help: "Set up root's own relay and host.")
    var asRoot = false

    func validate() throws {
        if relay != nil, listen != nil || publicURL != nil || tailscale || data.given != nil {
            throw ValidationError("--listen, --public-url, --tailscale and --data are for a relay on this machine.")
        }
        if let relay, PairingLink(relay)?.role != .host {
            throw ValidationError("--relay takes a link for a host, as heliograph pair --role host prints it there.")
        }
        if let listen, ServerConfiguration.address(listen) == nil {
            throw ValidationError("--listen takes ADDRESS:PORT, such as 127.0.0.1:8787.")
        }
        if tailscale, publicURL != nil { throw ValidationError("--tailscale finds the address that --public-url would give.") }
        if let publicURL, PublicURL.read(publicURL) == nil { throw ValidationError("--public-url takes \(PublicURL.takes).") }
    }

    func run() throws {
        try Failure.reporting {
            guard getuid() != 0 || asRoot else { throw CommandError.isRoot }
            try BackgroundServices().alone { try setUp() }
        }
    }

    private func setUp() throws {
        let known = try BackgroundRecord.load()
        let manager = options.supervised ? .supervised : known?.manager ?? BackgroundServices.manager
        var record = BackgroundRecord(manager, executable: Executable.path)
        record.agents = known?.agents ?? []
        let last = try BackgroundRecord.loadLast()
        let folder = data.path
        record.lingers = known?.manager == manager && known?.lingers == true
        let isLast = last?.part(.relay)?.value(of: "--data") == folder
        record.servedPort = (known ?? (isLast && publicURL == nil ? last : nil))?.servedPort
        let services = BackgroundServices()
        if relay == nil { try Self.checkThatDataIsThere((known ?? last)?.part(.relay), folder, isUp: known != nil) }
        // Set up as a host of another relay, it goes on as one.
        let other = try relay == nil ? Self.otherRelay(of: known ?? last) : nil
        if other != nil, listen != nil || publicURL != nil || tailscale || data.given != nil { throw CommandError.isOfOther }
        try checkHost(known, other, services)
        if relay == nil, other == nil { try startRelay(&record, known, last, folder, services) }
        try startHost(&record, known, other, folder, services)
        let failed = try connectAgents(&record)
        if manager == .systemd, try !services.letLinger(&record) {
            Output.remark("these services end when you log out; root can change that: loginctl enable-linger \(getuid())")
        }
        let isConnected = BackgroundServices.wait(Self.hostWithin) { services.hostLink == "live" }
        try tell(record, folder, hasOwnRelay: relay == nil && other == nil)
        if !isConnected, let host = try? HostConfiguration.load() {
            Output.remark("the host is not connected: \(PairedHost(host).reason(of: host.relay))")
        }
        if failed || !isConnected { throw ExitCode(ClientExit.failed.rawValue) }
    }

    /// Nil if this machine was not set up as a host alone, or is not paired any more.
    private static func otherRelay(of record: BackgroundRecord?) throws -> RelayAddress? {
        guard let record, record.part(.relay) == nil, record.part(.host) != nil else { return nil }
        return try? HostConfiguration.load().relay
    }

    /// After a move of the home, the recorded folder would be made anew and be empty.
    private static func checkThatDataIsThere(_ relay: BackgroundPart?, _ folder: String, isUp: Bool) throws {
        guard let recorded = relay?.value(of: "--data"), recorded == folder, !Administration.isSetUp(in: recorded) else {
            return
        }
        let own = DataOption.ofHome
        let hasMoved = own != recorded && Administration.isSetUp(in: own)
        let above = recorded[..<(recorded.lastIndex(of: "/") ?? recorded.startIndex)]
        let isGone = unsafe access(String(above), F_OK) != 0
        guard hasMoved || isGone else { return }
        let first = isUp ? "heliograph down, then " : ""
        throw CommandError(
            .notFound,
            "The relay's data was in \(recorded), which is gone. "
                + (hasMoved ? "There is a relay's data in \(own)" : "If it was moved, name its new place")
                + ": \(first)heliograph up --data \(hasMoved ? ShellWords.word(own) : "FOLDER")")
    }

    /// Looks for what the host would be refused for before anything is started.
    private func checkHost(_ known: BackgroundRecord?, _ other: RelayAddress?, _ services: BackgroundServices) throws {
        if relay != nil, known?.part(.relay) != nil { throw CommandError.hasOwnRelay }
        if known?.part(.host) == nil, services.hostStatus != nil { throw CommandError.hostRuns }
        guard relay == nil, other == nil, let paired = try? HostConfiguration.load().relay, !paired.staysHere else { return }
        // The relay that is to be started may be known by its public address.
        if let own = try? addresses(data.path), own.contains(paired) { return }
        if let publicURL = publicURL.flatMap({ RelayAddress($0) }), publicURL == paired { return }
        throw CommandError.reports(to: paired)
    }

    // MARK: - Relay

    /// Time for the relay to start, which may have to convert its history.
    private static let relayWithin = Duration.seconds(300)
    private static let hostWithin = Duration.seconds(30)
    /// Time of repeated errors after which a relay counts as failed.
    private static let complaintsWithin = Duration.seconds(5)

    private func startRelay(
        _ record: inout BackgroundRecord, _ known: BackgroundRecord?, _ last: BackgroundRecord?, _ folder: String,
        _ services: BackgroundServices
    ) throws {
        let before = known?.part(.relay)
        guard known == nil || before != nil else { throw CommandError.isOfOther }
        try data.checkIsNamed()
        if before == nil, Administration.isSetUp(in: folder), try Administration(directory: folder).isRunning {
            throw CommandError(.declined, "A relay runs with \(folder) already. End it first: Ctrl-C in its terminal.")
        }
        // The address follows the relay to another port.
        let isServed = record.servedPort != nil && publicURL == nil
        let tailnet = tailscale ? try Tailnet() : isServed ? Self.tailnetAgain() : nil
        record.parts = [BackgroundPart(.relay, arguments(last?.part(.relay), folder, tailnet))]
        // The host keeps running if its relay does.
        if before == record.parts[0], let host = known?.parts.first(where: { $0.name == .host }) { record.parts.append(host) }
        let mark = services.logMark(of: .relay)
        do {
            try services.start(record)
            if let trouble = Self.waitForRelay(in: folder, { services.lastWords(of: .relay, since: mark) }) {
                throw CommandError(.noRelay, "The relay does not come up: \(trouble)")
            }
            if let tailnet { try serve(on: tailnet, folder, &record, wasDown: known == nil) }
        } catch {
            // The earlier set-up is started again; a first one is given up.
            if let known {
                try services.start(known)
                _ = Self.waitForRelay(in: known.part(.relay)?.value(of: "--data") ?? folder) { nil }
            } else {
                try services.stop(record, keeping: last)
            }
            throw error
        }
    }

    /// Waits for the relay. Nil once it answers, else the reason why it does not.
    private static func waitForRelay(in folder: String, _ lastWords: () -> String?) -> String? {
        var trouble = "heliograph logs says why."
        var complainsSince: ContinuousClock.Instant?
        var isUp = false
        _ = BackgroundServices.wait(relayWithin) {
            do {
                isUp = try Administration.isSetUp(in: folder) && Administration(directory: folder).isServing
            } catch { trouble = "\(error)" }
            // A log line that is not JSON is the error with which it ended.
            guard !isUp, let words = lastWords(), words.hasPrefix("heliograph: ") else {
                complainsSince = nil
                return isUp
            }
            trouble = String(words.dropFirst("heliograph: ".count))
            let since = complainsSince ?? .now
            complainsSince = since
            return since.duration(to: .now) > complaintsWithin
        }
        return isUp ? nil : trouble
    }

    /// Nil, with a remark, if the tailnet that had the relay's address does not now.
    private static func tailnetAgain() -> Tailnet? {
        do throws(HostError) { return try Tailnet() } catch {
            Output.remark(
                "warning: the relay's address in your tailnet leads nowhere: \(error.message); then heliograph up again")
            return nil
        }
    }

    private func serve(
        on tailnet: Tailnet, _ folder: String, _ record: inout BackgroundRecord, wasDown: Bool
    ) throws {
        guard case .tcp("127.0.0.1", let port, false)? = try Administration(directory: folder).localAddress?.target else {
            throw CommandError(
                .declined, "Tailscale leads to a relay that listens on 127.0.0.1, without a certificate of its own.")
        }
        if let before = record.servedPort, before != port { try tailnet.endLeading(to: before) }
        if try tailnet.leads(to: port) {
            // An address that led here before this call is the person's own, and `down` leaves it.
            if wasDown { record.servedPort = nil }
            return try record.save()
        }
        record.servedPort = port
        // Recorded first, so that `down` ends it whenever this process ends.
        try record.save()
        try tailnet.lead(to: port)
    }

    private func arguments(_ last: BackgroundPart?, _ folder: String, _ tailnet: Tailnet?) -> [String] {
        var words = ["serve", "--data", folder]
        // Arguments of a relay in another folder are not used.
        let last = last?.value(of: "--data") == folder ? last : nil
        for (option, given) in [("--listen", listen), ("--public-url", publicURL ?? tailnet?.address)] {
            if let value = given ?? last?.value(of: option) { words += [option, value] }
        }
        return words
    }

    // MARK: - Host

    private func startHost(
        _ record: inout BackgroundRecord, _ known: BackgroundRecord?, _ other: RelayAddress?, _ folder: String,
        _ services: BackgroundServices
    ) throws {
        let isOurs = known?.part(.host) != nil
        let wanted = try other.map { [$0] } ?? addresses(folder)
        var paired = try? HostConfiguration.load()
        if let known = paired?.relay, !wanted.contains(known) {
            // The relay here listens at another address now.
            guard isOurs, relay == nil, known.staysHere, let moved = wanted.first else {
                throw CommandError.reports(to: known)
            }
            paired?.relay = moved
            try paired?.save()
        }
        if let host = paired, try !staysPaired(host, relay.flatMap { PairingLink($0) }) {
            guard other == nil else { throw CommandError.isUnknown(to: host.relay) }
            // The host that runs would go on with its old token.
            record.parts.removeAll { $0.name == .host }
            if isOurs { try services.start(record) }
            paired = nil
        }
        if paired == nil {
            let name = try HostCommand.join(link: try hostLink(folder), name: options.name)
            print("This machine is paired as \(VisibleText.line(name)).")
        } else {
            try HostCommand.endPairing()
        }
        let part = BackgroundPart(.host, ["host", "run"])
        if !record.parts.contains(part) { record.parts.append(part) }
        try services.start(record)
        guard BackgroundServices.wait(Self.hostWithin, until: { services.hostStatus != nil }) else {
            throw CommandError(.noRelay, "The host has not come up: heliograph logs says why.")
        }
    }

    /// False if its token is no longer valid: a link pairs it anew. `link`: the given one; nil if the relay is the one of before.
    private func staysPaired(_ known: HostConfiguration, _ link: PairingLink?) throws -> Bool {
        switch (PairedHost(known), link) {
        case (.revoked, _): return false
        case (_, nil): return true
        case (.known, let link?) where known.isPaired(by: link): return true
        case (.known(let workspace), _):
            Output.remark("this machine stays in “\(workspace)” of \(known.relay): the link was not used")
            return true
        case (.unknown, let link?) where known.isPaired(by: link): return true
        case (.unknown(let error), _): throw CommandError(.noRelay, "\(known.relay): \(error.message)")
        }
    }

    private func addresses(_ folder: String) throws -> [RelayAddress] {
        if let relay { return PairingLink(relay).map { [$0.relay] } ?? [] }
        let administration = try Administration(directory: folder)
        return [administration.localAddress, administration.publicURL.flatMap { RelayAddress($0) }].compactMap(\.self)
    }

    private func hostLink(_ folder: String) throws -> String {
        if let relay { return relay }
        let administration = try Administration(directory: folder)
        guard let address = administration.localAddress else {
            throw CommandError(
                .notFound, "\(folder)/relay.url, which says where the relay listens, is gone: heliograph down, then up.")
        }
        return try administration.credentials.makePairingCode(.host).link(base: address.description)
    }

    // MARK: - Agents

    /// Connects the agents. Returns true if one could not be connected, which is printed.
    private func connectAgents(_ record: inout BackgroundRecord) throws -> Bool {
        let outcome = try AgentCommands.connect.connectAll(executable: Executable.path, assumeYes: options.yes) { name in
            // Recorded first, so that `down` finds it whenever this process ends.
            guard !record.agents.contains(name) else { return }
            record.agents.append(name)
            try record.save()
        }
        guard let outcome else {
            let reason = isatty(STDIN_FILENO) == 1 ? "" : ", as there is no terminal to ask on (--yes does it without asking)"
            print("No agent's settings were changed\(reason). Later: \(Executable.shown) connect, or up again.")
            return false
        }
        if let missing = outcome.missing {
            print("No agent to connect was found: this PATH has none of \(missing). Once one is installed: up again.")
        }
        for failure in outcome.failures { Output.remark("\(failure.title) is not connected: \(failure.error)") }
        return !outcome.failures.isEmpty
    }

    // MARK: - What comes next

    private func tell(_ record: BackgroundRecord, _ folder: String, hasOwnRelay: Bool) throws {
        print("")
        if hasOwnRelay {
            let administration = try Administration(directory: folder)
            let base = administration.publicURL ?? "http://127.0.0.1:8787"
            print("The relay is at \(base); its data is in \(folder).")
            if let listen = record.part(.relay)?.value(of: "--listen") {
                Self.warn(ofListening: listen, administration.localAddress)
            }
            if try !administration.hasDevices {
                let link =
                    try administration.credentials.makePairingCode(.client).link(base: base) + HostSecret.part(for: .client)
                print("Open this on the device that shall watch and decide (it works once, for ten minutes):\n\n   \(link)\n")
                print(try PairingScreen.picture(of: link, folder: nil))
            } else {
                print("Another device: \(Executable.shown) pair\(data.flag)")
            }
            if RelayAddress(base)?.staysHere == true {
                print(PhoneWays(address: administration.localAddress, folder: folder).advice)
            }
        } else {
            let configuration = try HostConfiguration.load()
            print("This machine reports to \(configuration.relay).")
            print(HostCommand.advice(configuration))
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

    /// Warns that others can reach the relay. `address`: the relay's address on this machine.
    private static func warn(ofListening listen: String, _ address: RelayAddress?) {
        guard let (host, _) = ServerConfiguration.address(listen), !Loopback.contains(host),
            case .tcp(_, _, false)? = address?.target
        else { return }
        Output.remark(
            "warning: it listens on \(listen) without TLS: tokens travel in the clear to whoever is on that network (README, “Your phone”)"
        )
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
        try Failure.reporting { try BackgroundServices().alone { try takeBack() } }
    }

    private func takeBack() throws {
        guard let record = try BackgroundRecord.load() else {
            throw CommandError(.notFound, "Nothing was set up here by heliograph up.")
        }
        // The hooks are removed first, because agents would call a host that is gone.
        var request = ConnectRequest(executable: Executable.path)
        request.assumeYes = true
        for agent in AgentCommands.connect.connected(among: record.agents) {
            _ = try AgentCommands.connect.disconnect(agent, request)
        }
        let left = AgentCommands.connect.connected()
        try BackgroundServices().stop(record, keeping: record)
        if let port = record.servedPort { Self.endServing(port) }
        print("Relay and host have ended, and do not start again.")
        for agent in left {
            print("\(agent) stays connected, as it was before heliograph up: heliograph disconnect \(agent)")
        }
        for part in record.parts where part.name == .relay {
            if let folder = part.value(of: "--data") { print("The relay's data stays in \(folder).") }
        }
        let paths = HostPaths()
        if FirstTrust().hasHost {
            print("This machine's pairing, and which devices it trusts, stay in \(paths.configDirectory).")
        }
        print("What the relay does not have yet waits in \(paths.stateDirectory).")
    }

    private static func endServing(_ port: UInt16) {
        do throws(HostError) { try Tailnet().endLeading(to: port) } catch {
            Output.remark("Tailscale still leads to 127.0.0.1:\(port), where nothing listens now: \(error.message)")
        }
    }
}

/// `heliograph status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether relay and host run here, and what is connected.",
        discussion:
            "Exit codes: 0 all that `up` has set up runs and is connected, 5 nothing was set up here, 7 some of it is not.")

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

/// `heliograph supervise`, which `up` starts if there is no service manager.
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

/// Refusals to set this machine up, by `up` and by `join`.
extension CommandError {
    static let isRoot = CommandError(
        .declined, "This is for your own account, and you are root. If you mean root's: --as-root.")
    static let hasOwnRelay = CommandError(.declined, "This machine has a relay of its own: heliograph down, then this again.")
    static let hostRuns = CommandError(.declined, "A host runs here already. End it first: Ctrl-C in its terminal.")

    static let isOfOther = CommandError(
        .declined, "This machine is set up as a host of another relay: heliograph up goes on with that, without options.")

    static func isIn(_ workspace: String, of relay: RelayAddress) -> CommandError {
        let file = HostConfiguration.file(HostPaths())
        return CommandError(
            .declined,
            "This machine is in “\(workspace)” of \(relay) already, and a host is in one workspace. To leave that one: heliograph down, remove \(file), then this again."
        )
    }

    static func isUnknown(to relay: RelayAddress) -> CommandError {
        CommandError(
            .declined,
            "\(relay) does not know this machine any more. With a new link from there: heliograph up --relay 'LINK', or heliograph join."
        )
    }

    static func reports(to relay: RelayAddress) -> CommandError {
        let file = HostConfiguration.file(HostPaths())
        return CommandError(.declined, "This machine reports to \(relay) already. Remove \(file) if it shall not any more.")
    }
}
