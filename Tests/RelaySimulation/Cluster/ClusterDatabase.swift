import RelayCluster
import RelayModel
import RelayProtocol

/// The database that all nodes share, as far as they rely on it: a row for each workspace that names its owner
/// (`DatabaseWorkspace`), leases by its own clock, a log of changes that a standby gets a moment later (`DatabaseChanges`), and a
/// promotion that loses the changes of all workspaces that the standby lacks.
final class ClusterDatabase {
    private struct Lease {
        var expiresAt: Int64
        var address: NodeAddress
        /// True if the node is about to end, and takes no new workspace.
        var isLeaving: Bool
    }

    /// Duration of a lease in milliseconds, the same as `Ownership.leaseSeconds`.
    static let lease: Int64 = 8_000

    private unowned let world: ClusterWorld
    /// True if a commit is answered only when the standby has it.
    let isSynchronous: Bool
    let changes: DatabaseChanges
    private(set) var workspaces: [DatabaseWorkspace] = []
    private(set) var timeline = 1
    private(set) var isAway = false
    private var startedAt: Int64 = -ClusterDatabase.lease
    private var leases: [String: Lease] = [:]
    private var connections: [DatabaseConnection] = []
    private var lastEpoch = 0
    /// Number of workspaces made, renamed or removed so far.
    private(set) var changesOfEntrants: Int64 = 0

    init(world: ClusterWorld, isSynchronous: Bool) {
        self.world = world
        self.isSynchronous = isSynchronous
        changes = DatabaseChanges(world: world)
        for workspace in world.workspaces { add(workspace) }
        changesOfEntrants = 0
    }

    subscript(id: WorkspaceID) -> DatabaseWorkspace {
        guard let workspace = workspaces.first(where: { $0.id == id }) else {
            preconditionFailure("the world has no workspace \(id)")
        }
        return workspace
    }

    /// An epoch that was never used in any workspace.
    func nextEpoch() -> Epoch {
        lastEpoch += 1
        guard let epoch = Epoch("epoch\(lastEpoch)") else { preconditionFailure("letters and digits are an identifier") }
        return epoch
    }

    // MARK: Workspaces

    func add(_ workspace: Named<WorkspaceTag>) {
        let number = Int32(workspaces.count + 1)
        workspaces.append(DatabaseWorkspace(workspace, number: number, world: world, database: self))
        changesOfEntrants += 1
    }

    func rename(_ id: WorkspaceID, to name: String) {
        self[id].rename(to: name)
        changesOfEntrants += 1
    }

    func remove(_ id: WorkspaceID) {
        self[id].remove()
        changesOfEntrants += 1
    }

    var entrants: NodeEntrants.Reading {
        var reading = NodeEntrants.Reading()
        for workspace in workspaces {
            if workspace.isRemoved {
                reading.removed.append(workspace.id)
            } else {
                reading.standing[workspace.id] = workspace.name
            }
        }
        return reading
    }

    /// The database is up, workspaces held by dead nodes at its start are free again, and it has noticed all abandoned connections.
    var isSettled: Bool {
        !isAway && startedAt + Self.lease <= world.now && !connections.contains { $0.isOpen && $0.isGivenUp }
            && !workspaces.contains(where: \.hasAbandonedTransaction)
    }

    // MARK: Connections

    func connect(as holder: String, for purpose: DatabaseConnection.Purpose) -> DatabaseConnection? {
        guard !isAway else { return nil }
        let connection = DatabaseConnection(holder: holder, purpose: purpose)
        connections.removeAll { !$0.isOpen }
        connections.append(connection)
        return connection
    }

    private func isConnected(_ holder: String) -> Bool {
        connections.contains { $0.isOpen && $0.holder == holder } || workspaces.contains { $0.hasTransaction(of: holder) }
    }

    /// Ends a holder's other connections: those for one purpose, or all if that is nil.
    func end(connectionsOf holder: String, for purpose: DatabaseConnection.Purpose?, but own: DatabaseConnection) {
        func isMeant(_ connection: DatabaseConnection) -> Bool {
            connection.holder == holder && connection !== own && (purpose == nil || connection.purpose == purpose)
        }
        for connection in connections where isMeant(connection) { connection.close() }
        for workspace in workspaces { workspace.end(isMeant) }
    }

    // MARK: Nodes

    func renew(_ address: NodeAddress, isLeaving: Bool) {
        leases[address.holder] = Lease(expiresAt: world.now + Self.lease, address: address, isLeaving: isLeaving)
    }

    /// True if no living node holds the workspace. A holder may claim its own again, as the answer to a stored claim may have been
    /// lost.
    func isFree(_ row: OwnerRow, for asking: String) -> Bool {
        guard let holder = row.holder, holder != asking else { return true }
        guard startedAt + Self.lease <= world.now else { return false }
        return leases[holder].map { $0.expiresAt <= world.now } ?? true || !isConnected(holder)
    }

    func view(for asking: String) -> PlacementView {
        // A removed workspace is listed as long as it still has rows.
        let rows = workspaces.filter { !$0.isRemoved || $0.isLeft }.map { workspace in
            let row = workspace.row
            return PlacementView.Row(
                scope: workspace.id.rawValue, number: workspace.number, generation: row.generation, holder: row.holder,
                isFree: row.holder == nil || isFree(row, for: asking) && row.holder != asking, epoch: row.epoch)
        }
        let living = leases.values.filter { $0.expiresAt > world.now }
        return PlacementView(
            rows: rows, nodes: living.map(\.address).sorted { $0.holder < $1.holder },
            leaving: Set(living.filter(\.isLeaving).map(\.address.holder)))
    }

    /// Ends the lease of a node that shuts down in order.
    func giveUp(_ holder: String) {
        leases[holder] = nil
        for workspace in workspaces { workspace.giveUp(holder) }
    }

    /// An operator takes the workspace from a living owner.
    func fence(_ workspace: WorkspaceID) {
        guard let connection = connect(as: "operator", for: .look) else { return }
        world.trace.note(world.now, "operator", "fences", workspace.rawValue)
        self[workspace].begin(.fence, on: connection) { _ in connection.close() }
    }

    // MARK: Promotion

    /// The machine is lost, and the standby replaces it with the changes that it has.
    func promote(after wait: Int64) {
        guard !isAway else { return }
        isAway = true
        for connection in connections { connection.close() }
        connections = []
        for workspace in workspaces { workspace.lose() }
        let lost = changes.lose()
        world.trace.note(world.now, "database", "is lost", "with \(lost) changes that the standby has not")
        world.after(wait) { _ in self.started() }
    }

    private func started() {
        timeline += 1
        isAway = false
        startedAt = world.now
        // Renewals of leases do not wait for the standby, so some are lost.
        for holder in leases.keys.sorted() where world.dice.chance(0.3) { leases[holder] = nil }
        for workspace in workspaces { workspace.restart(from: changes.changes(of: workspace.id)) }
        world.trace.note(world.now, "database", "is promoted", "to timeline \(timeline)")
    }
}
