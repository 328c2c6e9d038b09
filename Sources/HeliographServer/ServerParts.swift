import Logging
import Metrics
import PushWeb
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Parts of every relay process, whether it is alone or one of several: access, the way to the push services, the watches over memory and
/// certificates, the listeners. Cores come and go in it. Confined to the core's thread.
final class ServerParts {
    let loops: EventLoopGroup
    /// Shared by all cores.
    let around: CoreUnit.Surroundings
    /// Where `Access` says what concerns cores.
    let mailbox: CoreMailbox
    let overseer: Overseer
    /// Started once there are cores.
    let strangers: StrangerSweep
    /// Nil where they are files in the folder.
    let secrets: SharedSecrets?
    private let memory: MemoryWatch
    private let certificates: CertificateWatch?
    private let reports: ReportFile
    private var listener: Listener?
    private var admin: AdminListener?

    /// After a polite goodbye, how long peers have to take what is theirs and leave.
    private static let goodbyeDeadline = Duration.seconds(3)
    private static let goodbyeLookInterval = Duration.milliseconds(20)

    /// Throws where a file in the folder cannot be used. Nobody can come in yet.
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
            limits: configuration.serverLimits, loop: loop, connections: connections, mailbox: mailbox, logger: logger)
        overseer = Overseer(data.upkeep, loops, configuration, measures, access, pushWay)
        strangers = StrangerSweep(configuration.registration, access, overseer, loop, logger)
        around = CoreUnit.Surroundings(
            configuration: configuration, loop: loop, connections: connections, access: access,
            responder: Responder(connections, WebPage(root: configuration.webRoot), publicURL: configuration.publicURL),
            overview: overseer, registry: registry,
            measures: measures, pushMeasures: pushMeasures, pushWay: pushWay, workspaces: data.workspaces,
            pictures: data.pictures, logger: logger)
        memory = MemoryWatch(
            megabytes: configuration.serverLimits.memoryMegabytes, loops: loops, admission: access.admission,
            measures: measures, logger: logger, isClient: { access.peers[$0]?.token.role.isClient == true })
        certificates = configuration.tls.map { CertificateWatch($0, loops: loops, measures: measures, logger: logger) }
        reports = ReportFile(in: data.folder, logger)
    }

    // MARK: - Coming in

    /// Where peers come in; 0 before they can.
    var port: UInt16 { listener?.port ?? 0 }

    /// Peers come in from now on; what they say goes to `take`. Throws where an address cannot be had.
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

    /// What the database survives is another from now on.
    func durabilityChanged(_ found: DatabaseDurability) {
        around.measures.databaseLooked(
            isSynchronous: found.isSynchronous, standbysInSync: found.standbysInSync, standbysNeeded: found.standbysNeeded)
        guard !found.isSynchronous else { return }
        around.logger.warning(
            "what is acknowledged is on the database's machine alone, and lost with it: set synchronous_standby_names (heliograph doctor)"
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

    /// Nobody new comes in.
    func closeListeners() {
        listener?.close()
        admin?.close()
    }

    /// Ends the loops when `isEmpty` says that all who were told goodbye have left, and no push is on its way: one whose answer is not waited
    /// for is sent again by who serves next. Ends them when that takes too long, too.
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
