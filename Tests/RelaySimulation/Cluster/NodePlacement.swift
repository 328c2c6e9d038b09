import RelayCluster
import RelayProtocol

/// Workspaces that a node owns, and nodes to which it has links: the product's machine, with the database that it polls and the
/// cores that it starts and ends. Like the product's `PlacementWatch`, except that polls and claims overlap.
final class NodePlacement {
    static let lookInterval: Int64 = 250
    /// Time after which a draining node ends with the workspaces that it still has.
    static let drainWithin: Int64 = 20_000
    /// Time for its last messages to peers to arrive.
    static let leavingWait: Int64 = 500

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private var machine: PlacementMachine
    private let lease: NodeLease
    private var parts: [WorkspaceID: OwnerPart] = [:]
    private var claimsUnderWay = 0
    /// The owner of each workspace, by the last look.
    private var holders: [WorkspaceID: String] = [:]
    /// The view of the last look.
    private var seen: PlacementView?
    /// Time at which each workspace was released, for the checkers.
    private var handedOver: [WorkspaceID: Int64] = [:]
    /// All workspaces, by number.
    private var numbered: [Int64: WorkspaceID] = [:]
    private lazy var planted = PlantedView(node)
    private var isDraining = false
    private var isOver = false

    init(_ node: ClusterNode) {
        self.node = node
        machine = PlacementMachine(holder: node.holder)
        lease = NodeLease(node)
    }

    func start() {
        look()
        lease.keep()
    }

    /// The core that serves this workspace here; nil if there is none, or not at the moment.
    func owner(of workspace: WorkspaceID) -> OwnerPart? { parts[workspace].flatMap { $0.isServing ? $0 : nil } }
    /// The node that owns the workspace, by the last look.
    func holder(of workspace: WorkspaceID) -> String? { holders[workspace] }

    func owns(_ part: OwnerPart) -> Bool { parts[part.workspace] === part }
    /// Cores in the order of the workspaces.
    var owners: [OwnerPart] { world.workspaces.compactMap { parts[$0.id] } }
    var isOwner: Bool { !parts.isEmpty || claimsUnderWay > 0 }
    func isHolding(_ workspace: WorkspaceID) -> Bool { parts[workspace] != nil }
    /// True from the first look until the node is about to end.
    var isReady: Bool { seen != nil && !isDraining && !isOver }
    /// Nil if this node knows of no such workspace.
    func workspace(numbered number: Int64) -> WorkspaceID? { numbered[number] }
    /// The workspace's epoch, as of the last look at the database.
    func epoch(of workspace: WorkspaceID) -> Epoch? { seen?.rows.first { $0.scope == workspace.rawValue }?.epoch }
    /// Makes its owner here, if there is one, release it.
    func workspaceRemoved(_ workspace: WorkspaceID) { parts[workspace]?.workspaceRemoved() }
    func ownsAny(notBornOn timeline: Int) -> Bool { parts.values.contains { $0.row.bornOn != timeline } }

    // MARK: Looking

    private func look() {
        guard !isOver else { return }
        node.database.ask(.look) { [holder = node.holder] database, _, reply in
            reply((database.view(for: holder), database.changesOfEntrants))
        } answer: { [self] (seen: (view: PlacementView, changes: Int64)?) in
            if let seen { looked(planted.of(seen.view), seen.changes) }
            node.inThisLife(after: Self.lookInterval) { self.look() }
        }
    }

    private func looked(_ view: PlacementView, _ changes: Int64) {
        guard !isOver else { return }
        node.entrants.saw(changes)
        for row in view.rows { numbered[Int64(row.number)] = id(row.scope) }
        seen = view
        for workspace in world.workspaces {
            let row = view.rows.first { $0.scope == workspace.id.rawValue }
            holders[workspace.id] = row.flatMap { $0.isFree ? nil : $0.holder }
        }
        if world.plant == .restlessOwner { beRestless() }
        decide(.looked(view))
    }

    /// For a planted fault: gives workspaces away after three seconds.
    private func beRestless() {
        guard world.settledSince != nil else { return }
        for part in owners where node.uptime - part.ownedSince >= 3_000 { decide(.lost(part.workspace.rawValue)) }
    }

    func linkEnded(_ holder: String) { decide(.linkEnded(holder)) }

    /// Drops a workspace whose commit was refused because another node owns it.
    func lost(_ part: OwnerPart) {
        guard owns(part) else { return }
        for part in world.plant == .droppedAll ? owners : [part] { decide(.lost(part.workspace.rawValue)) }
    }

    private func decide(_ fact: PlacementMachine.Fact) {
        for order in machine.handle(fact, at: node.uptime) {
            switch order {
            case .claim(let scope, let generation): claim(id(scope), over: generation)
            case .handOver(let scope): handOver(id(scope))
            case .drop(let scope): drop(id(scope))
            case .renew: lease.renew(isLeaving: isDraining)
            case .dial(let owner): node.edges.dial(owner)
            case .hangUp(let holder): node.edges.hangUp(holder)
            case .leave: leave()
            case .tellOfVersion(let owner): world.report(.level, "\(owner.name) is of the same version")
            }
        }
    }

    private func id(_ scope: String) -> WorkspaceID {
        guard let workspace = world.workspaces.first(where: { $0.id.rawValue == scope }) else {
            preconditionFailure("the world has no workspace \(scope)")
        }
        return workspace.id
    }

    // MARK: What becomes of a workspace

    private func claim(_ workspace: WorkspaceID, over generation: Int64) {
        world.trace.note(world.now, node.name, "claims", "\(workspace) over generation \(generation)")
        claimsUnderWay += 1
        if let since = handedOver[workspace], node.uptime - since < PlacementMachine.courtesy, !isPreferred(for: workspace) {
            world.report(.placement, "\(node.name) claims \(workspace) back, which it has just handed over")
        }
        let asked = node.uptime
        node.database.ask(.log(workspace)) {
            [address = node.address, isDraining] (database, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void)
            in
            database.renew(address, isLeaving: isDraining)
            database[workspace].begin(.claim(over: generation), on: connection, reply: reply)
        } answer: { [self] outcome in
            guard case .claimed(let row) = outcome else { return claimed(workspace, nil) }
            lease.renewed(at: asked)
            let part = OwnerPart(node, workspace, row)
            part.start { [self] isLoaded in
                if isLoaded { return claimed(workspace, part) }
                // Another node may be able to load it.
                part.handOver { self.claimed(workspace, nil) }
            }
        }
    }

    private func claimed(_ workspace: WorkspaceID, _ part: OwnerPart?) {
        claimsUnderWay -= 1
        guard !isOver else {
            part?.end()
            return
        }
        parts[workspace] = part
        if part != nil { world.history(of: workspace).takes(by: node.holder) }
        decide(part == nil ? .claimFailed(workspace.rawValue) : .claimed(workspace.rawValue))
    }

    /// Nodes that lived and were not about to end at the last look.
    private var candidates: [NodeAddress] {
        seen.map { view in
            view.nodes.filter { !view.leaving.contains($0.holder) && ($0.holder != node.holder || !isDraining) }
        } ?? []
    }

    private func isPreferred(for workspace: WorkspaceID) -> Bool {
        seen.map { Shares($0, among: candidates).place(ofFree: workspace.rawValue) == node.holder } ?? false
    }

    /// True if a candidate owns at least two workspaces fewer.
    private var isUneven: Bool {
        let rows = seen?.rows ?? []
        func count(_ holder: String) -> Int { rows.count { !$0.isFree && $0.holder == holder } }
        return candidates.contains { count(node.holder) - count($0.holder) > 1 }
    }

    private func handOver(_ workspace: WorkspaceID) {
        guard let part = parts[workspace] else { preconditionFailure("only what is owned is handed over") }
        world.trace.note(world.now, node.name, "hands over", workspace.rawValue)
        world.moves += 1
        if world.plant == .heldDrain, isDraining { return }
        if !isDraining, !isUneven, !world.database[workspace].isRemoved {
            world.report(.placement, "\(node.name) hands over \(workspace), and nobody has two fewer")
        }
        part.handOver { [self] in
            guard !isOver else { return }
            parts[workspace] = nil
            if world.database[workspace].row.holder != node.holder { handedOver[workspace] = node.uptime }
            decide(.handedOver(workspace.rawValue))
        }
    }

    private func drop(_ workspace: WorkspaceID) {
        guard let part = parts.removeValue(forKey: workspace) else { preconditionFailure("only what is owned is dropped") }
        world.trace.note(world.now, node.name, "drops", workspace.rawValue)
        world.moves += 1
        if world.plant == .restlessOwner, world.settledSince != nil { return part.handOver {} }
        world.history(of: workspace).drops(part.row, by: node.holder)
        if world.plant != .keptCommitting { part.end() }
    }

    // MARK: The end

    /// Ends as on SIGTERM: hands over its workspaces first.
    func drain() {
        guard !isDraining, !isOver else { return }
        world.trace.note(world.now, node.name, "drains")
        isDraining = true
        lease.renew(isLeaving: true)
        decide(.drainOrdered)
        node.inThisLife(after: Self.drainWithin) { self.stop() }
    }

    func stop() {
        guard !isOver else { return }
        world.trace.note(world.now, node.name, "is asked to end")
        decide(.stopOrdered)
    }

    /// The process has ended.
    func lose() { parts = [:] }

    private func leave() {
        isOver = true
        for part in owners { part.end() }
        node.edges.leave()
        node.inThisLife(after: Self.leavingWait) { [node] in
            if node.reachesDatabase { node.world.database.giveUp(node.holder) }
            node.end("as it was asked to")
        }
    }
}
