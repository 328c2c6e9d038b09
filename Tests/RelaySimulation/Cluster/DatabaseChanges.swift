import RelayCore
import RelayProtocol

/// The database's log of changes to all workspaces, in one order, and the part that the standby has, which a promotion keeps.
final class DatabaseChanges {
    enum Change {
        case batch(LogBatch, number: Int)
        case owner(OwnerRow)
        /// Removal of rows of a workspace.
        case removal
    }

    private unowned let world: ClusterWorld
    private var entries: [(workspace: WorkspaceID, change: Change)] = []
    /// Changes that the standby has.
    private(set) var replicated = 0
    private(set) var isStandbyAway = false
    /// Actions that wait for the standby to have this many changes.
    private var waiting: [(count: Int, action: () -> Void)] = []
    /// The current primary; changes in flight from an earlier one never arrive.
    private var life = 0

    init(world: ClusterWorld) { self.world = world }

    /// Adds a change. Returns its place: the number of changes with it.
    @discardableResult
    func write(_ change: Change, of workspace: WorkspaceID, whenReplicated action: (() -> Void)? = nil) -> Int {
        entries.append((workspace, change))
        let (count, life) = (entries.count, life)
        if let action { waiting.append((count, action)) }
        world.after(world.dice.within(0...3)) { [self] _ in
            if life == self.life, !isStandbyAway { replicate(count) }
        }
        return count
    }

    private func replicate(_ count: Int) {
        replicated = max(replicated, count)
        let due = waiting.filter { $0.count <= replicated }
        waiting.removeAll { $0.count <= replicated }
        for entry in due { entry.action() }
    }

    // MARK: The standby

    func standbyLeaves(for wait: Int64) {
        guard !isStandbyAway else { return }
        world.trace.note(world.now, "standby", "is away", "for \(wait) ms")
        isStandbyAway = true
        world.after(wait) { _ in self.standbyReturns() }
    }

    func standbyReturns() {
        guard isStandbyAway else { return }
        isStandbyAway = false
        replicate(entries.count)
    }

    /// The primary is lost. Returns the number of changes that the standby lacks.
    func lose() -> Int {
        life += 1
        isStandbyAway = false
        waiting = []
        defer { entries = Array(entries.prefix(replicated)) }
        return entries.count - replicated
    }

    /// Changes to this workspace, in order.
    func changes(of workspace: WorkspaceID) -> [Change] { entries.filter { $0.workspace == workspace }.map(\.change) }
}
