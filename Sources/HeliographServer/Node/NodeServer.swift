import Dispatch
import HeliographPlatform
import Logging
import PushPlanner
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The process of one of several relays on a database, and how its parts are connected. It owns some workspaces, and is an edge for
/// the others.
///
///     sockets ─▶ PeerHandler ─┬─▶ NodeIngress ─┬─▶ CoreUnit (Ingress ─▶ RelayRunner ─▶ Relay) ─▶ its log, sockets, pushes
/// owned here
///     links of other nodes ─▶ ┘               └─▶ EdgeRunner ─▶ EdgeMachine (pure) ─▶ OwnerLink ══ws══▶ another node        owned
/// there
///                                              └─▶ NodeRoutes (page, pairing, health), the owner's Routes       Access: who may
/// connect
///     PlacementWatch ─▶ PlacementMachine (pure): what this node owns, and which nodes it links to
final class NodeServer {
    private let common: ServerParts
    private let node: OpenNode
    private let access: Access
    private let parts: NodeParts
    private let routes: NodeRoutes
    private let ingress: NodeIngress
    private let watch: PlacementWatch
    /// The codes of notifications of one epoch.
    private let codes: (Epoch) -> PushCodes
    /// Configuration of every core, without the numbers of its pushes.
    private let core: Relay.Configuration
    private let check: StoreCheck
    /// For tasks that take as long as the database, and that nobody waits for.
    private let background = DispatchQueue(label: "heliograph.node", qos: .utility)
    private let logger: Logger
    private var orders: PlacementWatch.Orders?
    private var owned: [WorkspaceID: OwnedWorkspace] = [:]
    /// Number of the claim that each core belongs to: reports about an earlier claim of its workspace are ignored.
    private var claims: [WorkspaceID: Int] = [:]
    /// Workspaces that are known to be removed.
    private var removed: Set<WorkspaceID> = []
    private var departure = Departure.staying

    private var loop: EventLoop { common.loops.main }

    private enum Departure {
        case staying
        /// Hands its workspaces over first. Becomes `leaving`.
        case draining
        /// The last stage before the process ends.
        case leaving
    }

    /// Time limit of the hand-overs: a service manager waits half a minute, and some of that is needed for closing connections.
    private static let drainDeadline = Duration.seconds(15)
    /// Time limit for HTTP commands that a core still has when it is handed over, as their clients could not know whether they were
    /// carried out: several times a commit on a slow disk.
    private static let answersDeadline = Duration.seconds(1)
    private static let answersInterval = Duration.milliseconds(10)
    /// Interval between checks whether others may take this process for dead.
    private static let leaseInterval = Duration.milliseconds(250)

    /// Serves until the process is told to stop.
    static func run(_ process: RelayProcess, _ node: OpenNode) throws {
        let (configuration, logger) = (process.configuration, process.logger)
        let workspace = try node.credentials.bootstrap(workspaceName: "default")
        var server: NodeServer?
        try EventLoopGroup.run(configuration.eventLoop, loops: configuration.loops, logger: logger) { loops in
            let made = try NodeServer(process, node, loops)
            server = made
            process.serves(
                on: loops, port: made.common.port, node.folder,
                Credentials(store: node.credentials, workspace: workspace)
            ) { made.carryOut($0) }
        }
        guard let server else { preconditionFailure("a loop that has ended has begun") }
        server.watch.finish()
        server.finishCommits()
        server.access.uses.finish()
        try node.close()
        logger.notice("stopped")
    }

    private init(_ process: RelayProcess, _ node: OpenNode, _ loops: EventLoopGroup) throws {
        let (loop, logger) = (loops.main, process.logger)
        guard let links = process.links else { preconditionFailure("a node is one that others reach") }
        let common = try ServerParts(process, node, loops)
        let (access, connections, mailbox) = (common.around.access, common.around.connections, common.mailbox)
        let unknownTokens = UnknownTokens()
        let reads = PacedReads(loop: loop) { done in
            let doubted = unknownTokens.doubted
            access.reload { result in
                guard case .success = result else { return done(false) }
                unknownTokens.wereRead(doubted)
                done(true)
            }
        }
        let ways = WorkspaceWays()
        let parts = NodeParts(holder: node.holder, ways)
        common.overseer.cores = { Array(parts.cores.values) }
        common.overseer.node = parts
        let codes = { PushCodes(directory: node.folder, secret: common.secrets?.codes, epoch: $0, logger: logger) }
        let routes = NodeRoutes(
            loop: loop, access: access, responder: common.around.responder, reads: reads, unknownTokens: unknownTokens,
            own: Routes(in: common.around, core: nil), parts: parts, codes: codes, measures: common.around.measures)
        let ingress = NodeIngress(
            parts, routes: routes, reads: reads, admission: access.admission, connections: connections,
            measures: common.around.measures, logger: logger)
        access.tellOthers = { [unowned routes] in routes.tellOwners(then: $0) }
        access.shutOutElsewhere = { [unowned routes] in routes.tellOwners(of: $0, then: $1) }
        connections.shareChanged = { [unowned ingress] in ingress.shareChanged($0, isFull: $1) }
        (self.common, self.node, self.access, self.logger) = (common, node, access, logger)
        (self.parts, self.ingress, self.routes, self.codes) = (parts, ingress, routes, codes)
        watch = PlacementWatch(node, load: { try $0.loadForCore() }, logger)
        core = try Relay.Configuration(process.configuration, in: node.folder)
        check = StoreCheck(logger)

        try common.listen(as: .node(ways, unknownTokens, links)) { ingress.take($0) }
        // Sends output to edges before a tick, as the tick may wait for answers of peers at other nodes.
        let inputsEnded = loop.inputsEnded
        loop.inputsEnded = {
            inputsEnded?()
            for edge in parts.edges.values { edge.turnEnded() }
            connections.flush()
        }
        loops.turnEnded = { [weak self] in
            for fact in mailbox.take() { self?.tellCores(fact) }
            routes.turnEnded()
            for core in parts.cores.values { core.endTurn() }
            for edge in parts.edges.values { edge.turnEnded() }
            connections.turnEnded()
        }
        loop.hasMoreToGather = {
            let now = MonotonicTime.now
            return TickWish.isLater(parts.cores.values.map { $0.runner.tickWish(at: now) })
        }
        try startWatching(reads, unknownTokens)
        watchLease()
        common.strangers.start()
    }

    private func startWatching(_ reads: PacedReads, _ unknownTokens: UnknownTokens) throws {
        let (bound, handle) = (LoopBound(self, loop: loop), loop.handle)
        let boundReads = LoopBound((reads: reads, unknown: unknownTokens), loop: loop)
        let orders = PlacementWatch.Orders(
            seen: { view in handle.execute { bound.value.parts.saw(view) } },
            dial: { owner in handle.execute { bound.value.dial(owner) } },
            hangUp: { holder in handle.execute { bound.value.parts.edges[holder]?.hangUp() } },
            entrantsChanged: {
                handle.execute {
                    boundReads.value.unknown.forget()
                    boundReads.value.reads.readNow()
                }
            },
            durabilityChanged: { durability in handle.execute { bound.value.common.durabilityChanged(durability) } },
            serve: { owned, state, done in handle.execute { bound.value.serve(owned, state, done) } },
            handOver: { workspace, done in handle.execute { bound.value.handOver(workspace, done) } },
            drop: { workspace in handle.execute { bound.value.drop(workspace) } },
            leave: { handle.execute { bound.value.leave() } },
            lost: { [logger] error in StoreOpening.end(error, logger) })
        self.orders = orders
        try watch.start(orders)
    }

    /// Checks the lease. A node without workspaces has nothing to lose, and continues when the database is back.
    private func watchLease() {
        let left = watch.leaseLeft
        if !owned.isEmpty, left <= .zero {
            StoreOpening.end(
                LogError(.unreachable(isPassing: true), "This node could not say that it is alive for as long as its lease."),
                logger)
        }
        _ = loop.schedule(after: max(left, Self.leaseInterval)) { [weak self] in self?.watchLease() }
    }

    // MARK: - Links

    private func dial(_ owner: NodeAddress) {
        let edge = parts.edges[owner.holder] ?? makeEdge(to: owner.holder)
        edge.dial(owner)
    }

    private func makeEdge(to holder: String) -> EdgeRunner {
        let measures = common.around.measures
        let link = OwnerLink(loop, authority: common.around.configuration.advertiseAuthority, logger) { [watch] in
            watch.linkEnded(holder)
        }
        let edge = EdgeRunner(
            loops: common.loops, link: link, routes: routes, attendance: Attendance(access, measures, logger),
            measures: measures
        ) { [parts] in parts.linkChanged() }
        parts.add(edge, to: holder)
        return edge
    }

    // MARK: - Workspaces

    private func serve(_ workspace: OwnedWorkspace, _ state: LogState, _ done: @escaping @Sendable () -> Void) {
        let id = workspace.id
        guard case .staying = departure else {
            return background.async { [logger] in
                Self.handOver(workspace, logger)
                done()
            }
        }
        let log = workspace.log
        let data = CoreUnit.Stored(
            log: log, upkeep: workspace.upkeep, epochs: Epochs(ofLog: log.epoch, first: id),
            codes: codes(log.epoch), state: state,
            load: { try log.loadForCore() })
        guard let numbers = PushNumbers(workspace: Int64(workspace.number)) else {
            preconditionFailure("a database has numbered no more workspaces than there are numbers of pushes for")
        }
        var configuration = self.core
        configuration.push.numbers = numbers
        let core = CoreUnit(configuration, data, CoreMailbox(of: loop), in: common.around) { [parts] in
            parts.shutOut($0, of: id)
        }
        owned[id] = workspace
        let claim = claims[id, default: 0] + 1
        claims[id] = claim
        core.runner.wasReadAnew = { [access] in access.reload() }
        core.runner.lastCrowdEnd = { [parts] in parts.cores.values.compactMap(\.runner.crowdEnd).max() }
        core.runner.start(holders: access.authenticator.clients, limits: access.limits)
        if removed.contains(id) { core.tell(.workspaceRemoved(id)) }
        parts.begin(core, of: id)
        ingress.catchUp(core)
        check.begin(workspace.upkeep)
        let (bound, handle) = (LoopBound(self, loop: loop), loop.handle)
        workspace.whenLost { [logger] error in
            logger.error(
                "another relay has taken a workspace over", metadata: ["workspace.id": "\(id)", "error": "\(error)"])
            handle.execute { bound.value.lost(id, claim) }
        }
        logger.notice("owns a workspace now", metadata: ["workspace.id": "\(id)"])
        done()
    }

    private func lost(_ workspace: WorkspaceID, _ claim: Int) {
        guard let orders, owned[workspace] != nil, claims[workspace] == claim else { return }
        watch.lost(workspace, orders)
    }

    private func handOver(_ workspace: WorkspaceID, _ done: @escaping @Sendable () -> Void) {
        if parts.owns(workspace) { parts.shutOut(true, of: workspace) }
        handOver(workspace, answeringUntil: .now + Self.answersDeadline, done)
    }

    /// Hands a workspace over. New peers are refused by now.
    private func handOver(
        _ workspace: WorkspaceID, answeringUntil deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void
    ) {
        if parts.cores[workspace]?.isAnswering == true, ContinuousClock.now < deadline {
            _ = loop.schedule(after: Self.answersInterval) { [weak self] in
                self?.handOver(workspace, answeringUntil: deadline, done)
            }
            return
        }
        guard let owned = endCore(of: workspace) else { return done() }
        let data = owned.data
        owned.core.runner.giveUp { [logger] in
            Self.handOver(data, logger)
            done()
        }
        logger.notice("hands a workspace over", metadata: ["workspace.id": "\(workspace)"])
    }

    private static func handOver(_ workspace: OwnedWorkspace, _ logger: Logger) {
        do throws(LogError) { try workspace.handOver() } catch {
            // The row still names this node, which claims the workspace again or is taken for dead.
            logger.error(
                "a workspace cannot be handed over", metadata: ["workspace.id": "\(workspace.id)", "error": "\(error)"])
        }
        workspace.close()
    }

    private func drop(_ workspace: WorkspaceID) {
        guard let owned = endCore(of: workspace) else { return }
        let data = owned.data
        owned.core.runner.giveUp { data.close() }
        logger.notice("does not own a workspace any more", metadata: ["workspace.id": "\(workspace)"])
    }

    private func endCore(of workspace: WorkspaceID) -> (core: CoreUnit, data: OwnedWorkspace)? {
        guard let core = parts.end(workspace), let data = owned.removeValue(forKey: workspace) else { return nil }
        return (core, data)
    }

    /// Passes a change of tokens and workspaces to every core, or to that of its workspace.
    private func tellCores(_ fact: Input) {
        switch fact {
        case .workspaceRemoved(let workspace):
            removed.insert(workspace)
            parts.cores[workspace]?.tell(fact)
        default: for core in parts.cores.values { core.tell(fact) }
        }
    }

    // MARK: - Signals

    private func carryOut(_ order: SignalWatch.Order) { common.carryOut(order) { stop() } }

    /// The first call hands the workspaces over before the process ends; the second one ends it at once.
    private func stop() {
        guard case .staying = departure else { return loop.stop() }
        departure = .draining
        logger.notice("stopping")
        // Stops listening first, so that peers that are sent away reconnect to another node.
        common.closeListeners()
        routes.drain()
        if let orders { watch.drain(orders) }
        _ = loop.schedule(after: Self.drainDeadline) { [weak self] in self?.leave() }
    }

    private func leave() {
        if case .leaving = departure { return }
        departure = .leaving
        for core in parts.cores.values { core.runner.leave() }
        for edge in parts.edges.values { edge.leave() }
        common.end { [access] in access.peers.isEmpty }
    }

    /// Called at the end, when no loop runs any more.
    private func finishCommits() {
        for (id, workspace) in owned {
            parts.cores[id]?.runner.finishCommits()
            workspace.close()
        }
    }
}
