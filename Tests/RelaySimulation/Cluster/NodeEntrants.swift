import RelayModel
import RelayProtocol

/// Holders of tokens that a node admits, and the names of their workspaces: read when the process starts, and again when the database
/// reports a change. Like `Access` and `PacedReads`.
final class NodeEntrants {
    /// The state in the database.
    struct Reading {
        var standing: [WorkspaceID: String] = [:]
        /// Removed workspaces, in order of creation.
        var removed: [WorkspaceID] = []
    }

    private static let retryInterval: Int64 = 1_000

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private var reading = Reading()
    /// The count of changes that the database reported last; nil for none.
    private var toldChanges: Int64?
    private(set) var isReading = false
    private var isReadAgain = false
    /// Completions of the next reading, and of the one under way.
    private var nextReaders: [(Bool) -> Void] = []
    private var readers: [(Bool) -> Void] = []

    init(_ node: ClusterNode) { self.node = node }

    /// Reads the state. A process serves no peer before that.
    func start() {
        (reading, toldChanges) = (world.database.entrants, world.database.changesOfEntrants)
    }

    func mayEnter(_ workspace: WorkspaceID) -> Bool { reading.standing[workspace] != nil }
    func isRemoved(_ workspace: WorkspaceID) -> Bool { reading.removed.contains(workspace) }

    func named(_ workspace: WorkspaceID) -> Named<WorkspaceTag> {
        Named(id: workspace, name: reading.standing[workspace] ?? workspace.rawValue)
    }

    /// The identity of the token's holder; nil if this node does not know the token.
    func identity(of role: ClusterSocket.Role) -> Identity? {
        let workspace = world.workspace(of: role)
        let isRemembered = world.plant == .rememberedToken && isRemoved(workspace)
        guard mayEnter(workspace) || isRemembered else { return nil }
        let its = isRemembered ? Named(id: workspace, name: world.database[workspace].name) : named(workspace)
        return Identity(holder: world.holder(of: role), workspace: its, software: "simulated", at: node.instant.wall)
    }

    /// A query has reported the count of changes.
    func saw(_ changes: Int64) {
        guard changes != toldChanges else { return }
        toldChanges = changes
        if isReading { isReadAgain = true } else { read() }
    }

    /// `done` gets true if the database was read after this call.
    func read(then done: @escaping (Bool) -> Void) {
        nextReaders.append(done)
        if isReading { isReadAgain = true } else { read() }
    }

    private func read() {
        isReading = true
        (readers, nextReaders) = (readers + nextReaders, [])
        node.database.ask(.entrants) { database, _, reply in
            reply(database.entrants)
        } answer: { [self] (fresh: Reading?) in
            let answered = readers
            readers = []
            guard let fresh else {
                node.inThisLife(after: Self.retryInterval) { self.read() }
                for done in answered { done(false) }
                return
            }
            isReading = false
            take(fresh)
            for done in answered { done(true) }
            if isReadAgain {
                isReadAgain = false
                read()
            }
        }
    }

    private func take(_ fresh: Reading) {
        let gone = fresh.removed.filter { !reading.removed.contains($0) }
        reading = fresh
        for workspace in gone {
            world.trace.note(world.now, node.name, "hears of", "the removal of \(workspace)")
            if world.plant == .deafOwner { continue }
            node.placement.workspaceRemoved(workspace)
            node.peers.showOut(of: workspace)
        }
    }
}
