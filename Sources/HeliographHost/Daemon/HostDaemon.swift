internal import ConsentKeys
internal import Foundation
internal import HeliographCrypto
internal import HeliographHook
internal import HeliographLink
internal import HeliographPlatform
internal import HostCore
internal import Logging
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// The one daemon of a machine: carries out the orders of `HostMachine` on one event loop, and passes facts to it.
///
/// ```
/// hook ─unix socket─▶ LocalSocket, AgentDriver ─▶ HostMachine ─▶ RelayConnection ═websocket═▶ relay
/// ```
final class HostDaemon {
    private let configuration: HostConfiguration
    private let logger: Logger
    private let loop: EventLoop
    private let spool: Spool
    private let rules: RulesFile
    private let parts: [(name: String, part: DaemonPart)]
    private var machine: HostMachine
    /// The agents' drivers, by name.
    private var drivers: [String: any AgentDriver] = [:]
    private var relay: RelayConnection?
    private var socket: LocalSocket?
    private var listener: Listener?
    private var timers: [HostTimer: TimerID] = [:]
    /// The terminals that clients look at; nil until the first look.
    private var terminals: TerminalDesk?
    private var isStopping = false

    /// Time for the close handshake at the end.
    private static let stopWithin = Duration.seconds(1)

    static func run(_ configuration: HostConfiguration, agents: [any AgentIntegration.Type], logger: Logger) throws {
        try LocalSocket.check(configuration.socketPath)
        try Files.makePrivateDirectory(configuration.stateDirectory)
        let lock = try DirectoryLock(configuration.stateDirectory)
        try? Files.makePrivateDirectory(LeftWord.folder(in: configuration.stateDirectory))
        let disk = try FileSpoolDisk(configuration.stateDirectory + "/spool")
        let spool = try Spool(disk: disk, limits: configuration.spool) { logger.log($0) }
        let consent = try consent(configuration, logger)
        let service = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let signals = SignalSwitch()
        try SignalWatch.start(stopOnly: true) { signals.fire($0) }
        var settings = EventLoop.Configuration()
        settings.name = "heliograph-host"
        // Connections end while the loop is torn down, and report that to the daemon, even if it could not start.
        var kept: HostDaemon?
        defer { withExtendedLifetime(kept) {} }
        try EventLoop.run(settings, logger: logger) { loop in
            let daemon = HostDaemon(configuration, agents, spool, consent, loop, logger)
            kept = daemon
            try daemon.start()
            service.map { loop.report(to: $0) }
            let bound = LoopBound(daemon, loop: loop)
            let handle = loop.handle
            signals.arm { _ in
                handle.execute {
                    service?.tell(.stopping)
                    bound.value.stop()
                }
            }
        }
        logger.info("stopped")
        withExtendedLifetime(lock) {}
    }

    /// The host's consent. Nil for an open host whose folder cannot store keys: it works as hosts of earlier versions did.
    private static func consent(_ configuration: HostConfiguration, _ logger: Logger) throws(HostError) -> HostConsent? {
        let files = ConsentFiles(configuration.paths)
        do throws(HostError) {
            let (identity, book) = try files.open()
            return HostConsent(
                identity, book, configuration.consent, epochs: configuration.content == .sealed ? try files.openEpochs() : nil,
                on: files, seed: Crypto.random(count: HostConsent.seedBytes), .openSSL)
        } catch {
            guard configuration.consent == .open else { throw error }
            logger.warning("this host has no keys, so no device can sign for it", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private init(
        _ configuration: HostConfiguration, _ agents: [any AgentIntegration.Type], _ spool: Spool, _ consent: HostConsent?,
        _ loop: EventLoop, _ logger: Logger
    ) {
        self.configuration = configuration
        self.spool = spool
        self.loop = loop
        self.logger = logger
        var parts = agents.compactMap { agent in agent.daemon.map { (name: agent.name, part: $0) } }
        // An owner who lets nobody steer lets nobody start sessions either. The host's session also carries the keys of sealed
        // content.
        if configuration.steering != .nobody || configuration.content == .sealed {
            parts.append((LaunchAdapter.name, LaunchDriver.part(of: agents)))
        }
        self.parts = parts
        rules = RulesFile(configuration.paths, logger: logger)
        let digests = Digests { Crypto.hex(Crypto.sha256($0)) }
        machine = HostMachine(
            agents: parts.map { $0.part.adapter(configuration.home, digests, .now) }, spool: spool,
            link: LinkMachine(
                software: configuration.software, name: configuration.name,
                capabilities: configuration.steering == .nobody ? [.hold] : [.hold, .steer], key: consent?.key,
                limits: configuration.link),
            boot: Boot.name, steering: configuration.steering, consent: consent,
            rules: (rules, configuration.home))
    }

    private func start() throws {
        for (name, part) in parts {
            drivers[name] = part.driver(
                DriverSeat(
                    loop: loop, report: { [unowned self] in tell(.told(agent: name, $0, isDurable: $1)) },
                    standing: { [unowned self] in machine.standing(of: $0, besides: name) }, logger: logger))
        }
        relay = RelayConnection(loop, configuration, logger) { [unowned self] in learn($0) }
        let socket = LocalSocket(loop, drivers, logger) { [unowned self] in
            learn($0)
        } status: { [unowned self] in
            status
        }
        self.socket = socket
        let begun = machine.handle(.started(holds: HoldsFile(configuration.stateDirectory).read()), at: .now)
        // Ends of sessions that hooks left while no daemon ran are read before their processes are found gone.
        for word in LeftWord.take(from: configuration.stateDirectory) { hear(word) }
        for order in begun { carryOut(order) }
        loop.inputsEnded = { [unowned socket] in socket.turnEnds() }
        listener = try loop.listen(LocalSocket.listener(at: configuration.socketPath), handler: socket)
        logger.info(
            "started",
            metadata: ["relay": "\(configuration.relay)", "spool.events": "\(spool.index.pendingCount)"])
    }

    private func hear(_ word: LeftWord) {
        guard let driver = drivers[word.agent] as? any HookDriver, !driver.answers(word.event),
            let payload = try? JSONDocument(parsing: word.payload)
        else { return }
        driver.wordLeft(word.event, payload)
    }

    /// Stops the daemon. Waiting hooks go on waiting: they call the next daemon again.
    private func stop() {
        guard !isStopping else {
            loop.stop()
            return
        }
        isStopping = true
        logger.info("stopping")
        listener?.close()
        tell(.stopping)
        guard let relay, relay.isThere else {
            loop.stop()
            return
        }
        relay.close(CloseCode.goingAway.rawValue, reason: "the host stops")
        loop.schedule(after: Self.stopWithin) { [unowned self] in loop.stop() }
    }

    // MARK: Facts

    /// Handles a fact from a connection. While we stop, connections end because of us, and hooks will call again.
    private func learn(_ fact: HostFact) {
        switch fact {
        case .linkClosed where isStopping: loop.stop()
        case .hookGone where isStopping: break
        case .received(.letter):
            for (secret, until) in FirstTrust(configuration.paths).current(at: .now) {
                tell(.secretFound(secret, until: until))
            }
            tell(fact)
        default: tell(fact)
        }
    }

    private func tell(_ fact: HostFact) {
        for order in machine.handle(fact, at: .now) { carryOut(order) }
    }

    // MARK: Orders

    private func carryOut(_ order: HostOrder) {
        switch order {
        case .connect(let heartbeat): relay?.connect(heartbeat)
        case .send(let bytes): relay?.send(bytes)
        case .stream(let bytes): relay?.stream(bytes)
        case .close(let code): relay?.close(code, reason: "no welcome came")
        case .arm(let timer, let wait): arm(timer, after: wait)
        case .disarm(let timer): if let id = timers.removeValue(forKey: timer) { loop.cancel(id) }
        case .saveHolds(let holds): save(holds)
        case .fetchPictures(let name, let pictures): fetch(pictures, of: name)
        case .tryRules(let name, let text): tryRules(text, for: name)
        case .askTerminal(let call): ask(call)
        case .respond(let token, let output):
            if !drivers.values.contains(where: { $0.respond(token, output) }) { socket?.respond(token, output) }
        case .checkAgents(let processes):
            for process in processes where !AgentProcessTable.isAlive(process) { tell(.agentGone(process)) }
        case .carryOut(let agent, let order): drivers[agent]?.carryOut(order)
        case .log(let entry): logger.log(entry)
        }
    }

    private func arm(_ timer: HostTimer, after wait: Duration) {
        if let id = timers[timer] { loop.cancel(id) }
        timers[timer] = loop.schedule(after: wait) { [unowned self] in
            timers[timer] = nil
            tell(.fired(timer))
        }
    }

    private func fetch(_ pictures: [Picture], of name: SteeringName) {
        let fetch = PictureFetch(
            relay: configuration.relay, token: configuration.token,
            certificateAuthorityFile: configuration.certificateAuthorityFile)
        let (bound, handle) = (LoopBound(self, loop: loop), loop.handle)
        let isStarted = BackgroundThread.start {
            let fetched = fetch.perform(pictures)
            handle.execute { bound.value.tell(.picturesFetched(name, fetched)) }
        }
        if !isStarted { tell(.picturesFetched(name, .refused("its host could not fetch the picture: no thread is left"))) }
    }

    /// Tries rules on another thread, because that waits for the relay, and resolves links in paths.
    private func tryRules(_ text: String, for name: SteeringName) {
        let (bound, handle, configuration) = (LoopBound(self, loop: loop), loop.handle, configuration)
        let isStarted = BackgroundThread.start {
            let tried: TriedRules
            do throws(HostError) {
                let opening = try PastOpening(ConsentFiles(configuration.paths))
                let past = try PastFetch(configuration: configuration, opening: opening).perform()
                tried = .tried(try RulesCall.tried(text, on: past, paths: configuration.paths))
            } catch { tried = .refused(error.message) }
            handle.execute { bound.value.tell(.rulesTried(name, tried)) }
        }
        if !isStarted { tell(.rulesTried(name, .refused("its host could not try them: no thread is left"))) }
    }

    private func ask(_ call: ScreenCall) {
        if terminals == nil {
            let (bound, handle) = (LoopBound(self, loop: loop), loop.handle)
            terminals = try? TerminalDesk { name, answer in
                handle.execute { bound.value.tell(.terminalAnswered(name, answer)) }
            }
        }
        guard let terminals else {
            return tell(.terminalAnswered(call.name, .failed(.unavailable, "its host cannot reach its terminals now")))
        }
        terminals.ask(call)
    }

    private func save(_ holds: Holds) {
        do throws(HostError) {
            try HoldsFile(configuration.stateDirectory).write(holds)
        } catch {
            logger.error("what is held is not on disk", metadata: ["error": "\(error)"])
            tell(.holdsNotSaved)
        }
    }

    // MARK: Status

    private var status: [UInt8] {
        JSONWriter.object { writer in
            writer.object("link") {
                $0.field("state", linkState)
                $0.field("relay", configuration.relay.description)
                $0.field("proxy", (try? ProxySettings.environment.proxy(for: configuration.relay))?.description)
            }
            writer.array(
                "sessions",
                machine.liveSessions.map { session in
                    JSONWriter.object {
                        $0.field("session", session.id)
                        $0.field("status", session.status?.rawValue)
                        $0.field("pid", session.process.map { Int64($0.id) })
                        $0.field("deferred", session.deferred == 0 ? nil : Int64(session.deferred))
                    }
                })
            writer.array(
                "approvals",
                machine.questions.map { question in
                    JSONWriter.object {
                        $0.field("approval", question.approval)
                        $0.field("session", question.session)
                        $0.field("tool", question.tool)
                        $0.field("phase", question.phase)
                        $0.field("digest", question.digest.rawValue)
                    }
                })
            writer.field("rules", rules.problem)
            writer.object("spool") {
                $0.field("events", Int64(spool.index.pendingCount))
                $0.field("bytes", Int64(spool.index.bytes))
                $0.field("dropped", Int64(spool.droppedCount))
            }
        }
    }

    private var linkState: String {
        switch machine.linkState {
        case .idle, .waiting: "waiting"
        case .connecting: "connecting"
        case .greeting: "greeting"
        case .up: "live"
        case .over: "replaced"
        }
    }
}
