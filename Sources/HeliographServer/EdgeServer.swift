import HeliographPlatform
import Logging
import Metrics
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

/// A node that does not own the log, as a process: what is wired to what.
///
///     sockets ─▶ PeerHandler ─▶ EdgeRunner ─▶ EdgeMachine (pure) ─▶ orders ─▶ OwnerLink ══ws══▶ the owner, sockets
///                                  └─▶ EdgeRoutes (page, health)      Access: who may come in
///     ClusterWatch ─▶ ClusterMachine (pure): who owns the log, and whether this node shall
final class EdgeServer {
    private let loops: EventLoopGroup
    private let access: Access
    private let runner: EdgeRunner
    private let watch: ClusterWatch
    private let listeners: [Listener]
    private let certificates: CertificateWatch?
    private let memory: MemoryWatch
    private let logger: Logger
    private var isLeaving = false

    /// After a polite goodbye, how long peers have to leave: as at an owner, and less where others wait for this node to take over.
    private static let shutdownDeadline = Duration.seconds(3)
    private static let takeoverDeadline = Duration.milliseconds(300)

    /// Serves until this node owns the log, and hands its store back; nil where it was told to stop.
    static func run(_ process: RelayProcess, _ node: OpenNode, name: String) throws -> OpenStore? {
        let (configuration, logger) = (process.configuration, process.logger)
        let workspace = try node.credentials.bootstrap(workspaceName: "default")
        var server: EdgeServer?
        try EventLoopGroup.run(configuration.eventLoop, loops: configuration.loops, logger: logger) { loops in
            let made = try EdgeServer(configuration, node, name: name, loops, logger)
            server = made
            process.serves(
                on: loops, port: made.listeners[0].port ?? 0, node.folder,
                Credentials(store: node.credentials, workspace: workspace)
            ) { made.carryOut($0) }
        }
        guard let server else { preconditionFailure("a loop that has ended has begun") }
        let store = server.watch.finish()
        server.access.uses.finish()
        guard !process.signals.isStopping else {
            if let store { try store.close() } else { try node.close() }
            return nil
        }
        logger.notice("owns the log now", metadata: ["node": "\(name)"])
        return store
    }

    private init(
        _ configuration: ServerConfiguration, _ node: OpenNode, name: String, _ loops: EventLoopGroup, _ logger: Logger
    ) throws {
        let loop = loops.main
        self.loops = loops
        self.logger = logger
        let registry = PrometheusRegistry()
        let measures = Measures(factory: registry)
        measures.started(
            loop.waitMethod, loops: configuration.loops, version: ServerConfiguration.version,
            atMilliseconds: WallClock.milliseconds)
        measures.isEdge()
        let (connections, mailbox) = (PeerConnections(loops: loops), CoreMailbox(of: loop))
        let access = try Access(
            store: node.credentials, workspaces: node.workspaces, publicURL: configuration.publicURL,
            limits: configuration.serverLimits, loop: loop, connections: connections, mailbox: mailbox, logger: logger)
        let unknownTokens = UnknownTokens()
        let reads = EntrantReads(loop: loop) { done in
            let doubted = unknownTokens.doubted
            access.reload { result in
                if case .success = result { unknownTokens.wereRead(doubted) }
                done()
            }
        }
        let routes = EdgeRoutes(
            configuration, loops, access: access, reads: reads,
            responder: Responder(connections, WebPage(root: configuration.webRoot)), registry: registry)
        let runner = EdgeRunner(
            loops: loops, access: access, routes: routes, reads: reads, unknownTokens: unknownTokens,
            attendance: Attendance(access, measures, logger), measures: measures)
        let watch = ClusterWatch(node, name: name, logger)
        let link = OwnerLink(
            loop, authority: configuration.advertiseAuthority, logger, take: { [unowned runner] in runner.handle($0) },
            ended: { watch.linkEnded() })
        runner.link = link
        memory = MemoryWatch(
            megabytes: configuration.serverLimits.memoryMegabytes, loops: loops, admission: access.admission,
            measures: measures, logger: logger, isClient: { access.peers[$0]?.token.role.isClient == true })
        (self.access, self.runner, self.watch) = (access, runner, watch)

        loops.turnEnded = {
            // There is no core to be told of who holds a token.
            _ = mailbox.take()
            runner.turnEnded()
        }
        memory.start()
        certificates = configuration.tls.map { CertificateWatch($0, loops: loops, measures: measures, logger: logger) }
        let (part, admission, forwarding) = (PeerHandler.Part.edge(unknownTokens), access.admission, configuration.forwarding)
        let inbox = LoopInbox<Arrival>(of: loop) { for arrival in $0 { runner.take(arrival) } }
        let handler = PeerHandler.atCore(loop, part, admission, forwarding, measures, logger) { runner.take($0) }
        let unfinishedBytesMax = memory.unfinishedBytesMax / configuration.loops
        listeners = [
            try loops.listen(
                configuration.publicListener(unfinishedBytesMax: unfinishedBytesMax, takesLinks: false), handler: handler,
                onOthers: { PeerHandler.onOther($0, part, admission, forwarding, inbox, measures, logger) }),
            try loop.listen(configuration.adminListener(unfinishedBytesMax: unfinishedBytesMax), handler: handler),
        ]
        routes.listens(at: listeners[0].port ?? 0)
        certificates?.start()
        let bound = LoopBound((server: self, link: link), loop: loop)
        let handle = loop.handle
        try watch.start(
            ClusterWatch.Orders(
                dial: { owner in handle.execute { bound.value.link.dial(owner) } },
                hangUp: { handle.execute { bound.value.link.hangUp() } },
                entrantsChanged: { handle.execute { bound.value.server.runner.entrantsChanged() } },
                serve: { handle.execute { bound.value.server.leave(within: Self.takeoverDeadline) } }))
        logger.notice("serves as an edge: another relay owns the log", metadata: ["node": "\(name)"])
    }

    private func carryOut(_ order: SignalWatch.Order) {
        switch order {
        case .stop: if isLeaving { loops.main.stop() } else { leave(within: Self.shutdownDeadline) }
        case .reload: certificates?.look()
        case .report: logger.notice("an edge has nothing to report: ask the relay that owns the log")
        }
    }

    private func leave(within limit: Duration) {
        guard !isLeaving else { return }
        isLeaving = true
        for listener in listeners { listener.close() }
        runner.handle(.left)
        stopWhenEmpty(ContinuousClock.now + limit)
    }

    private func stopWhenEmpty(_ deadline: ContinuousClock.Instant) {
        if runner.isIdle || ContinuousClock.now >= deadline { return loops.main.stop() }
        _ = loops.main.schedule(after: .milliseconds(20)) { [self] in stopWhenEmpty(deadline) }
    }
}
