import ChannelAPNs
import ChannelWeb
import Dispatch
import Foundation
import Glibc
import Logging
import Metrics
import HeliographPlatform
import HeliographQRCode
import PushPlanner
import PushWeb
import RelayCore
import RelayModel
import RelayProtocol
import Synchronization
import WebSocketEngine

/// The relay as a process: what is wired to what. Everything but `PeerHandler`, of which each loop has its own, lives on the core's thread.
///
///     sockets ─▶ PeerHandler ─▶ Ingress ─▶ RelayRunner ─▶ Relay (pure) ─▶ effects ─▶ SessionLog, sockets, PushRunner ─▶ PushWay
///                   └─▶ Routes (page, pairing, health) ─▶ HTTPCommandPeers (clients over HTTP)          Access: who may come in
///     Access, PairingDesk, HTTPCommandPeers, PushRunner ─▶ CoreMailbox ─▶ RelayRunner
package final class RelayServer {
    private let loops: EventLoopGroup
    private let access: Access
    private let core: CoreUnit
    private let pushWay: PushWay
    private let listeners: [Listener]
    private let certificates: CertificateWatch?
    private let memory: MemoryWatch
    private let configuration: ServerConfiguration
    private let store: OpenStore
    private let overseer: Overseer
    private let logger: Logger
    private let reports: ReportFile

    /// After a polite goodbye, how long peers have to take what is theirs and leave.
    private static let shutdownDeadline = Duration.seconds(3)

    /// Runs until SIGTERM or SIGINT. `started` gets the addresses, on the loop's thread, when the relay accepts connections.
    package static func run(_ configuration: ServerConfiguration, started: @escaping (RelayAddresses) -> Void) throws {
        let logger = Logger(label: "heliograph.relay")
        try SystemLimits.check(loops: configuration.loops)
        // Before anything is made.
        try AdminSocket(in: configuration.dataDirectory).check()
        let process = RelayProcess(configuration, logger, started: started)
        // Closing the terminal ends what runs in it; a service is told to read its files again.
        try SignalWatch.start(hangUpStops: isatty(STDIN_FILENO) == 1) { [signals = process.signals] in signals.fire($0) }
        if let node = try StoreOpening.node(for: process) { return try NodeServer.run(process, node) }
        guard let store = try StoreOpening.open(for: process) else { return logger.notice("stopped while it stood by") }
        let workspace = try store.credentials.bootstrap(workspaceName: "default")
        let registry = PrometheusRegistry()
        let configuration = process.configuration

        var server: RelayServer?
        try EventLoopGroup.run(configuration.eventLoop, loops: configuration.loops, logger: logger) { loops in
            let made = try RelayServer(process, store, first: workspace.id, registry, loops)
            server = made
            process.serves(
                on: loops, port: made.listeners[0].port ?? 0, store.folder,
                Credentials(store: store.credentials, workspace: workspace)
            ) {
                made.carryOut($0)
            }
        }
        server?.core.runner.finishCommits()
        server?.access.uses.finish()
        try store.close()
        logger.notice("stopped")
    }

    /// Whether there is no relay in the folder that was named.
    package static func isAbsent(_ error: any Error) -> Bool { OpenStore.isAbsent(error) }

    /// Whether a start failed for what the machine did not give: room, rights, limits, an address. A person may mend that and start again;
    /// else it is what lies in the folder that is refused.
    package static func isFaultOfMachine(_ error: any Error) -> Bool {
        switch error {
        case let error as WebSocketEngineError: error.code == .cannotListen || error.code == .initialisationFailed
        case let error as ServerError: error.code == .machine || error.code == .file
        default: OpenStore.isFaultOfMachine(error)
        }
    }

    private init(
        _ process: RelayProcess, _ store: OpenStore, first: WorkspaceID, _ registry: PrometheusRegistry, _ loops: EventLoopGroup
    ) throws {
        let (loop, logger, configuration) = (loops.main, process.logger, process.configuration)
        self.loops = loops
        self.logger = logger
        (self.configuration, self.store) = (configuration, store)
        let measures = Measures(factory: registry)
        measures.started(
            loop.waitMethod, loops: configuration.loops, version: ServerConfiguration.version,
            atMilliseconds: WallClock.milliseconds)
        logger.tell(loop.waitMethod)
        let load: @Sendable () throws -> LogState = { try store.log.loadForCore() }
        let mailbox = CoreMailbox(of: loop)
        let pushMeasures = PushMeasures(factory: registry)
        let secrets = try store.secrets.map { try SharedSecrets($0, adoptingFrom: store.folder) }
        let web = WebPushes(
            WebPushIdentity(directory: store.folder, configuration), shared: secrets,
            services: WebPushServices(added: configuration.pushHosts), logger: logger)
        let pushWay = try PushWay(
            directory: store.folder, web: web, addresses: store.addresses, loop: loop, measures: pushMeasures, logger: logger)
        let connections = PeerConnections(loops: loops)
        let access = try Access(
            store: store.credentials, workspaces: store.workspaces, publicURL: configuration.publicURL,
            limits: configuration.serverLimits, loop: loop, connections: connections, mailbox: mailbox, logger: logger)
        let overseer = Overseer(store.upkeep, loops, configuration, measures, access, pushWay)
        let core = CoreUnit(
            try Relay.Configuration(configuration, in: store.folder),
            CoreUnit.Stored(
                log: store.log, upkeep: store.upkeep, epochs: store.epochs(first: first),
                codes: PushCodes(
                    directory: store.folder, secret: secrets?.codes, epoch: store.log.epoch, logger: logger),
                state: try load(), load: load),
            mailbox,
            in: CoreUnit.Surroundings(
                configuration: configuration, loop: loop, connections: connections, access: access,
                responder: Responder(connections, WebPage(root: configuration.webRoot)), overview: overseer, registry: registry,
                measures: measures, pushMeasures: pushMeasures, pushWay: pushWay, workspaces: store.workspaces,
                pictures: store.pictures, logger: logger),
            shutOut: { access.admission.shut($0) })
        overseer.cores = { [core] }
        StoreCheck(logger).begin(store.upkeep)
        (self.access, self.overseer, self.core, self.pushWay) = (access, overseer, core, pushWay)
        memory = MemoryWatch(
            megabytes: configuration.serverLimits.memoryMegabytes, loops: loops, admission: access.admission,
            measures: measures,
            logger: logger, isClient: { access.peers[$0]?.token.role == .client })
        reports = ReportFile(in: store.folder, logger)
        let ingress = core.ingress
        let inbox = LoopInbox<Arrival>(of: loop) { for arrival in $0 { ingress.take(arrival) } }
        let (admission, forwarding) = (access.admission, configuration.forwarding)
        loops.turnEnded = {
            core.endTurn()
            connections.turnEnded()
        }
        loop.hasMoreToGather = { core.runner.isGathering }

        core.runner.wasReadAnew = { access.reload() }
        core.runner.start(holders: access.authenticator.clients)
        memory.start()
        certificates = configuration.tls.map { CertificateWatch($0, loops: loops, measures: measures, logger: logger) }
        let handler = PeerHandler.atCore(loop, .alone, admission, forwarding, measures, logger) { ingress.take($0) }
        let unfinishedBytesMax = memory.unfinishedBytesMax / configuration.loops
        listeners = [
            try loops.listen(
                configuration.publicListener(unfinishedBytesMax: unfinishedBytesMax, takesLinks: false),
                handler: handler,
                onOthers: { PeerHandler.onOther($0, .alone, admission, forwarding, inbox, measures, logger) }),
            try loop.listen(configuration.adminListener(unfinishedBytesMax: unfinishedBytesMax), handler: handler),
        ]
        overseer.listens(at: listeners[0].port ?? 0)
        // What was revoked before the command line could say so here, and what is from now on on another machine.
        access.reload()
        let (boundAccess, handle) = (LoopBound(access, loop: loop), loop.handle)
        store.whenEntrantsChanged { handle.execute { boundAccess.value.reload() } }
        store.whenDurabilityChanged { isSynchronous, standbys, needed in
            measures.databaseLooked(isSynchronous: isSynchronous, standbysInSync: standbys, standbysNeeded: needed)
            guard !isSynchronous else { return }
            logger.warning(
                "what is acknowledged is on the database's machine alone, and lost with it: set synchronous_standby_names (heliograph doctor)"
            )
        }
        certificates?.start()
    }

    // MARK: - Signals

    private func carryOut(_ order: SignalWatch.Order) {
        switch order {
        case .stop: shutDown()
        case .reload:
            certificates?.look()
            pushWay.look()
        case .report: overseer.makeReport { [reports] in reports.write($0) }
        }
    }

    // MARK: - The end

    private var isShuttingDown = false

    private func shutDown() {
        guard !isShuttingDown else { return loops.main.stop() }
        isShuttingDown = true
        logger.notice("stopping")
        for listener in listeners { listener.close() }
        core.runner.leave()
        let deadline = ContinuousClock.now + Self.shutdownDeadline
        stopWhenEmpty(deadline)
    }

    private func stopWhenEmpty(_ deadline: ContinuousClock.Instant) {
        // A push whose answer we do not wait for is sent again after the start.
        if core.runner.isIdle && pushWay.isIdle || ContinuousClock.now >= deadline {
            pushWay.stop()
            return loops.main.stop()
        }
        _ = loops.main.schedule(after: .milliseconds(20)) { [self] in stopWhenEmpty(deadline) }
    }
}
