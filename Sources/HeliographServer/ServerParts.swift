import Logging
import Metrics
import PushWeb
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Parts of every relay process, whether it is alone or one of several: access, the push services' clients, the watches over memory
/// and certificates, the listeners. Cores are created and removed in it. Confined to the core's thread.
final class ServerParts {
    let loops: EventLoopGroup
    /// Parts that all cores share.
    let around: CoreUnit.Surroundings
    /// Carries messages from `Access` to the cores.
    let mailbox: CoreMailbox
    let overseer: Overseer
    /// Started once there are cores.
    let strangers: StrangerSweep
    /// Secrets in the database; nil if they are files in the folder.
    let secrets: SharedSecrets?
    private let memory: MemoryWatch
    private let certificates: CertificateWatch?
    private let reports: ReportFile
    private var listener: Listener?
    private var admin: AdminListener?

    /// Time that peers have at the end of the relay to read what waits for them and disconnect.
    private static let goodbyeDeadline = Duration.seconds(3)
    private static let goodbyeLookInterval = Duration.milliseconds(20)

    /// Throws if a file in the folder cannot be used. Nobody can connect yet.
    init(_ process: RelayProcess, _ data: some OpenData, _ loops: EventLoopGroup) throws {
        let (loop, configuration, logger) = (loops.main, process.configuration, process.logger)
        self.loops = loops
        let registry = PrometheusRegistry()
        let (measures, pushMeasures) = (Measures(factory: registry), PushMeasures(factory: registry))
        measures.started(
            loop.waitMethod, loops: configuration.loops, version: ServerConfiguration.version,
            atMilliseconds: WallClock.milliseconds)
        logger.tell(loop.waitMethod)
        secrets = try data.secrets.map { try SharedSecrets($0, adoptingFrom: data.folder) }
        let web = WebPushes(
            WebPushIdentity(directory: data.folder, configuration), shared: secrets,
            services: WebPushServices(added: configuration.pushHosts), logger: logger)
        let pushWay = try PushWay(
            directory: data.folder, web: web,
            others: [NtfyPushes(configuration), ReceiverPushes(configuration, logger: logger)],
            addresses: data.addresses, loop: loop, measures: pushMeasures, logger: logger)
        let connections = PeerConnections(loops: loops)
        mailbox = CoreMailbox(of: loop)
        let access = try Access(
            store: data.credentials, workspaces: data.workspaces, publicURL: configuration.publicURL,
            limits: configuration.serverLimits, registration: configuration.registration, loop: loop, connections: connections,
            mailbox: mailbox, logger: logger)
        overseer = Overseer(data.upkeep, loops, configuration, measures, access, pushWay)
        strangers = StrangerSweep(configuration.registration, access, overseer, loop, logger)
        around = CoreUnit.Surroundings(
            configuration: configuration, loop: loop, connections: connections, access: access,
            responder: Responder(connections, WebPage(root: configuration.webRoot), publicURL: configuration.publicURL),
            wayMark: WayMark(), overseer: overseer, registry: registry,
            measures: measures, pushMeasures: pushMeasures, pushWay: pushWay, workspaces: data.workspaces,
            pictures: data.pictures, logger: logger)
        memory = MemoryWatch(
            megabytes: configuration.serverLimits.memoryMegabytes, loops: loops, admission: access.admission,
            measures: measures, logger: logger, largeWorkspaces: { [overseer] in overseer.largeWorkspaces },
            isClient: { access.peers[$0]?.token.role.isClient == true })
        certificates = configuration.tls.map { CertificateWatch($0, loops: loops, measures: measures, logger: logger) }
        reports = ReportFile(in: data.folder, logger)
    }

    // MARK: - Coming in

    /// The port that peers connect to; 0 before it listens.
    var port: UInt16 { listener?.port ?? 0 }

    /// Accepts peers from now on, and passes their input to `take`. Throws if an address is not available.
    func listen(as part: PeerHandler.Part, take: @escaping (Arrival) -> Void) throws {
        let (loop, configuration, measures, logger) = (loops.main, around.configuration, around.measures, around.logger)
        let (admission, forwarding) = (around.access.admission, configuration.forwarding)
        memory.start()
        let inbox = LoopInbox<Arrival>(of: loop) { for arrival in $0 { take(arrival) } }
        let handler = PeerHandler.atCore(loop, part, admission, forwarding, measures, logger, take: take)
        let unfinishedBytesMax = memory.unfinishedBytesMax / configuration.loops
        listener = try loops.listen(
            configuration.publicListener(unfinishedBytesMax: unfinishedBytesMax, takesLinks: part.takesLinks), handler: handler,
            onOthers: { PeerHandler.onOther($0, part, admission, forwarding, inbox, measures, logger) })
        admin = try AdminListener(loop, configuration.adminListener(unfinishedBytesMax: unfinishedBytesMax), handler, logger)
        overseer.listens(at: port)
        certificates?.start()
    }

    /// The database's durability has changed.
    func durabilityChanged(_ found: DatabaseDurability) {
        around.measures.databaseLooked(
            isSynchronous: found.isSynchronous, standbysInSync: found.standbysInSync, standbysNeeded: found.standbysNeeded)
        guard !found.isSynchronous else { return }
        around.logger.warning(
            "acknowledged data is on the database's machine alone, and lost with it: set synchronous_standby_names (heliograph doctor)"
        )
    }

    // MARK: - Signals and the end

    func carryOut(_ order: SignalWatch.Order, stop: () -> Void) {
        switch order {
        case .stop: stop()
        case .reload:
            certificates?.look()
            around.pushWay.look()
        case .report: overseer.makeReport { [reports] in reports.write($0) }
        }
    }

    /// Accepts no new connections from now on.
    func closeListeners() {
        listener?.close()
        admin?.close()
    }

    /// Ends the loops when `isEmpty` is true, that is, all closed peers have disconnected, and no push is under way: a push whose
    /// answer is not waited for is sent again by the next relay. Also ends them when that takes too long.
    func end(whenEmpty isEmpty: @escaping () -> Bool) {
        end(whenEmpty: isEmpty, by: ContinuousClock.now + Self.goodbyeDeadline)
    }

    private func end(whenEmpty isEmpty: @escaping () -> Bool, by deadline: ContinuousClock.Instant) {
        if isEmpty() && around.pushWay.isIdle || ContinuousClock.now >= deadline {
            around.pushWay.stop()
            return loops.main.stop()
        }
        _ = loops.main.schedule(after: Self.goodbyeLookInterval) { [self] in end(whenEmpty: isEmpty, by: deadline) }
    }
}
