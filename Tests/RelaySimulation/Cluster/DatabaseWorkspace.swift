import RelayCore
import RelayProtocol

/// One workspace in the database: the row that names its owner, shared and exclusive locks of that row, and its log.
final class DatabaseWorkspace {
    let id: WorkspaceID
    /// Number of the workspace, from 1, in order of creation.
    let number: Int32
    /// All names that it ever had; the last is the current one.
    private(set) var names: [String]
    /// Time of removal; nil if it was not removed.
    private(set) var removedAt: Int64?
    var isRemoved: Bool { removedAt != nil }
    private unowned let world: ClusterWorld
    private unowned let database: ClusterDatabase
    private(set) var log: SimulatedLog
    private(set) var row = OwnerRow()
    /// The numbers of the stored batches.
    private var batches: Set<Int> = []
    /// Place of the last change that is visible and has to survive the loss of this machine.
    private var lastShown = 0
    private var queue: [DatabaseTransaction] = []
    private var active: [DatabaseTransaction] = []

    init(_ workspace: Named<WorkspaceTag>, number: Int32, world: ClusterWorld, database: ClusterDatabase) {
        id = workspace.id
        names = [workspace.name]
        self.number = number
        self.world = world
        self.database = database
        log = SimulatedLog(workspaces: [workspace.id])
    }

    static let slowCommitMax: Int64 = 6_000

    var name: String { names.last ?? id.rawValue }
    /// True if rows of it are stored, besides the one that records the removal.
    var isLeft: Bool { !log.isEmpty }

    func rename(to name: String) { names.append(name) }
    func remove() { removedAt = world.now }

    /// True if everything that can be loaded of the workspace is on the standby.
    var isReplicated: Bool { lastShown <= database.changes.replicated }

    func contains(_ batch: Int) -> Bool { batches.contains(batch) }

    func hasTransaction(of holder: String) -> Bool { (active + queue).contains { $0.connection.holder == holder } }

    /// True if a transaction still runs for a node that has abandoned it.
    var hasAbandonedTransaction: Bool { (active + queue).contains { !$0.connection.isOpen || $0.connection.isGivenUp } }

    // MARK: Transactions

    func begin(
        _ kind: DatabaseTransaction.Kind, on connection: DatabaseConnection,
        reply: @escaping (DatabaseTransaction.Outcome) -> Void
    ) {
        let transaction = DatabaseTransaction(kind, on: connection, reply: reply)
        switch kind {
        case .commit: if world.plant == .fenceWithoutLock { return start(transaction) }
        case .claim:
            if let holder = row.holder, database.isFree(row, for: connection.holder) {
                let isOwn = holder == connection.holder
                database.end(connectionsOf: holder, for: isOwn ? connection.purpose : nil, but: connection)
            }
        case .removal: break
        case .claimAnew, .handOver:
            database.end(connectionsOf: connection.holder, for: connection.purpose, but: connection)
        case .fence: break
        }
        queue.append(transaction)
        grant()
    }

    /// Ends the matching transactions. A server process that waits for a lock or the standby notices; one that is writing may not
    /// notice in time.
    func end(_ isMeant: (DatabaseConnection) -> Bool) {
        for transaction in queue + active where isMeant(transaction.connection) {
            switch transaction.phase {
            case .waiting: finish(transaction)
            case .running: if world.dice.chance(0.7) { finish(transaction) }
            // It is committed here, though perhaps not on the standby.
            case .written: show(transaction)
            case .over: break
            }
        }
        grant()
    }

    /// Grants locks in order of arrival: shared together with shared, exclusive alone.
    private func grant() {
        while let first = queue.first {
            let others = active.filter(\.isHolding)
            guard first.isCommit ? others.allSatisfy(\.isCommit) : others.isEmpty || world.plant == .fenceWithoutLock else {
                return
            }
            queue.removeFirst()
            start(first)
        }
    }

    private func start(_ transaction: DatabaseTransaction) {
        transaction.phase = .running
        active.append(transaction)
        let holder = transaction.connection.holder
        var wait = world.dice.within(0...3)
        switch transaction.kind {
        case .commit(let batch, _, let generation):
            guard generation == row.generation || world.plant == .noFence else { return refuse(transaction, .fenced) }
            if world.plant != .doubledCommit, !follows(batch) { return refuse(transaction, .refused) }
            if world.dice.chance(world.faults.slowCommit) { wait = world.dice.within(50...Self.slowCommitMax) }
        case .claim(let seen):
            guard row.generation == seen, database.isFree(row, for: holder) else { return refuse(transaction, .refused) }
        case .claimAnew:
            guard row.holder == holder, row.bornOn == database.timeline else { return refuse(transaction, .fenced) }
        case .handOver(let generation):
            guard row.holder == holder, row.generation >= generation else { return refuse(transaction, .fenced) }
        case .fence, .removal: break
        }
        let timeline = database.timeline
        world.after(wait) { [self] _ in
            guard timeline == database.timeline, !database.isAway, transaction.isRunning else { return }
            written(transaction)
        }
    }

    /// True if the batch continues where the last commit ended.
    private func follows(_ batch: LogBatch) -> Bool {
        let log = log
        do throws(LogError) {
            try batch.check(in: [id]) { key in log.sessions[key].map { ($0.place, $0.state == nil) } }
            return true
        } catch { return false }
    }

    private func refuse(_ transaction: DatabaseTransaction, _ outcome: DatabaseTransaction.Outcome) {
        finish(transaction)
        transaction.reply(outcome)
        grant()
    }

    private func finish(_ transaction: DatabaseTransaction) {
        transaction.phase = .over
        active.removeAll { $0 === transaction }
        queue.removeAll { $0 === transaction }
    }

    private func written(_ transaction: DatabaseTransaction) {
        let change = change(by: transaction)
        let place = database.changes.write(change, of: id) { [self] in show(transaction) }
        transaction.phase = .written(change, place: place)
        let isHasty = world.plant == .hastyLoad && !transaction.isCommit
        if !database.isSynchronous || transaction.isLocal || isHasty { show(transaction) }
    }

    private func change(by transaction: DatabaseTransaction) -> DatabaseChanges.Change {
        var fresh = row
        switch transaction.kind {
        case .commit(let batch, let number, _): return .batch(batch, number: number)
        case .removal: return .removal
        case .claim: fresh = claimed(by: transaction.connection.holder)
        case .claimAnew: fresh.generation += 1
        case .handOver, .fence:
            fresh.generation += 1
            fresh.holder = nil
        }
        return .owner(fresh)
    }

    private func claimed(by holder: String) -> OwnerRow {
        let timeline = database.timeline
        let isSameLife = row.epoch != nil && (row.bornOn == timeline || world.plant == .keptEpoch)
        var fresh = row
        fresh.generation += 1
        fresh.holder = holder
        fresh.bornOn = timeline
        if !isSameLife { fresh.epoch = database.nextEpoch() }
        return fresh
    }

    /// Makes the change visible to others.
    private func show(_ transaction: DatabaseTransaction) {
        guard case .written(let change, let place) = transaction.phase else { return }
        finish(transaction)
        if !transaction.isLocal { lastShown = max(lastShown, place) }
        switch change {
        case .batch(let batch, let number):
            if case .commit(_, _, let generation) = transaction.kind {
                world.history(of: id).commits(batch, as: generation, of: row)
            }
            batches.insert(number)
            apply(batch)
            transaction.reply(.committed)
        case .removal:
            log.removeSome()
            transaction.reply(.removed(isAll: !isLeft))
        case .owner(let fresh): show(fresh, transaction)
        }
        grant()
    }

    private func show(_ fresh: OwnerRow, _ transaction: DatabaseTransaction) {
        let before = row
        row = fresh
        world.trace.note(
            world.now, "database", "has an owner", "of \(id): \(fresh.holder ?? "nobody") in generation \(fresh.generation)")
        switch transaction.kind {
        case .claim, .claimAnew:
            world.history(of: id).claims(fresh, after: before, on: database.timeline, in: log)
            transaction.reply(.claimed(fresh))
        case .handOver, .fence: transaction.reply(.freed)
        case .commit, .removal: preconditionFailure("it leaves the row as it is")
        }
    }

    private func apply(_ batch: LogBatch) {
        // Planted faults write batches that a log refuses.
        do throws(LogError) { try log.commit(batch) } catch { world.history(of: id).refuses(batch, error) }
        if let complaint = log.complaint { world.report(.decision, complaint.sentence) }
    }

    // MARK: Without a transaction

    /// Releases the row of a node that shuts down in order.
    func giveUp(_ holder: String) {
        guard row.holder == holder, active.isEmpty, queue.isEmpty else { return }
        row.holder = nil
        database.changes.write(.owner(row), of: id)
    }

    /// The machine is lost, with all transactions in progress.
    func lose() {
        for transaction in active + queue { transaction.phase = .over }
        (active, queue) = ([], [])
    }

    /// Restores the state from the standby's changes.
    func restart(from changes: [DatabaseChanges.Change]) {
        (log, row, batches, lastShown) = (SimulatedLog(workspaces: [id]), OwnerRow(), [], 0)
        for change in changes {
            switch change {
            case .owner(let fresh): row = fresh
            case .removal: log.removeSome()
            case .batch(let batch, let number):
                batches.insert(number)
                apply(batch)
            }
        }
        world.history(of: id).promoted(to: log, isSynchronous: database.isSynchronous)
    }
}
