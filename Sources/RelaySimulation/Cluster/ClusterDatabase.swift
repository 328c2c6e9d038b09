import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// The database that all nodes share, as far as they rely on it: one row that says who owns the log, shared and exclusive locks of it,
/// leases by its own clock, a log of changes that a standby has a moment later, and a promotion that loses what it has not.
final class ClusterDatabase {
    struct Row: Equatable {
        var generation: Int64 = 0
        var holder: String?
        var epoch: Epoch?
        /// The timeline that the epoch belongs to.
        var bornOn = 0
    }

    private enum Change {
        case batch(LogBatch, number: Int)
        case owner(Row)
    }

    private struct Lease {
        var expiresAt: Int64
        var address: NodeAddress
    }

    /// As the product's: `Ownership.leaseSeconds`.
    static let lease: Int64 = 8_000

    private unowned let world: ClusterWorld
    /// A commit is answered when the standby has it.
    let isSynchronous: Bool
    private(set) var log = ClusterDatabase.emptyLog()
    private(set) var row = Row()
    private(set) var timeline = 1
    private(set) var isAway = false
    private var startedAt: Int64 = -ClusterDatabase.lease
    private var leases: [String: Lease] = [:]
    private var connections: [DatabaseConnection] = []
    private var changes: [Change] = []
    /// How many of them the standby has.
    private var replicated = 0
    private var isStandbyAway = false
    private var batches: Set<Int> = []

    private var queue: [DatabaseTransaction] = []
    private var active: [DatabaseTransaction] = []
    private var awaiting: [(change: Int, transaction: DatabaseTransaction)] = []
    private var lastEpoch = 0

    init(world: ClusterWorld, isSynchronous: Bool) {
        self.world = world
        self.isSynchronous = isSynchronous
    }

    private static func emptyLog() -> SimulatedLog { SimulatedLog(workspaces: [World.workspace.id]) }

    // MARK: Connections

    func connect(as holder: String) -> DatabaseConnection? {
        guard !isAway else { return nil }
        let connection = DatabaseConnection(holder: holder)
        connections.removeAll { !$0.isOpen }
        connections.append(connection)
        return connection
    }

    private func isConnected(_ holder: String) -> Bool {
        connections.contains { $0.isOpen && $0.holder == holder }
            || (active + queue).contains { $0.connection.holder == holder }
    }

    /// A process of the database that waits for a lock or the standby notices; one that is just writing may not, in time.
    private func end(connectionsOf holder: String, but own: DatabaseConnection) {
        for connection in connections where connection.holder == holder && connection !== own { connection.close() }
        for transaction in queue + active where transaction.connection.holder == holder && transaction.connection !== own {
            switch transaction.phase {
            case .waiting: finish(transaction)
            case .running: if world.dice.chance(0.7) { finish(transaction) }
            // Committed here; whether on the standby, nobody knows.
            case .written: show(transaction)
            case .over: break
            }
        }
        grant()
    }

    // MARK: Nodes

    func renew(_ address: NodeAddress) {
        leases[address.holder] = Lease(expiresAt: world.now + Self.lease, address: address)
    }

    /// Nobody holds the log who is alive. What somebody holds who asks for it, it may take again: its claim came through, and it was not told.
    func isFree(for asking: String) -> Bool {
        guard let holder = row.holder, holder != asking else { return true }
        guard startedAt + Self.lease <= world.now else { return false }
        return leases[holder].map { $0.expiresAt <= world.now } ?? true || !isConnected(holder)
    }

    func view(for asking: String) -> ClusterView {
        let nodes = leases.filter { $0.value.expiresAt > world.now }.sorted { $0.key < $1.key }
        return ClusterView(
            generation: row.generation, holder: row.holder,
            isFree: row.holder == nil || isFree(for: asking) && row.holder != asking,
            owner: row.holder.flatMap { leases[$0]?.address },
            nodes: nodes.map { ClusterView.Node(holder: $0.key, name: $0.value.address.name) })
    }

    /// A node that ends politely.
    func giveUp(_ holder: String) {
        leases[holder] = nil
        guard row.holder == holder, active.isEmpty, queue.isEmpty else { return }
        var fresh = row
        fresh.holder = nil
        row = fresh
        write(.owner(fresh))
    }

    // MARK: Transactions

    func begin(
        _ kind: DatabaseTransaction.Kind, on connection: DatabaseConnection,
        reply: @escaping (DatabaseTransaction.Outcome) -> Void
    ) {
        let transaction = DatabaseTransaction(kind, on: connection, reply: reply)
        switch kind {
        case .commit:
            if world.plant == .fenceWithoutLock { return start(transaction) }
        case .claim: if let holder = row.holder { end(connectionsOf: holder, but: connection) }
        case .claimAnew: end(connectionsOf: connection.holder, but: connection)
        }
        queue.append(transaction)
        grant()
    }

    func contains(_ batch: Int) -> Bool { batches.contains(batch) }

    /// In the order in which they came: shared with shared, exclusive with nobody.
    private func grant() {
        while let first = queue.first {
            let others = active.filter { $0.phase == .running || $0.phase == .written }
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
        var wait = world.dice.within(0...3)
        switch transaction.kind {
        case .commit(let batch, _, let generation):
            guard generation == row.generation || world.plant == .noFence else { return refuse(transaction, .fenced) }
            if world.plant != .doubledCommit, !follows(batch) { return refuse(transaction, .refused) }
            if world.dice.chance(world.faults.slowCommit) { wait = world.dice.within(50...6_000) }
        case .claim(let seen):
            guard row.generation == seen, isFree(for: transaction.connection.holder) else {
                return refuse(transaction, .refused)
            }
        case .claimAnew:
            guard row.holder == transaction.connection.holder, row.bornOn == timeline else {
                return refuse(transaction, .fenced)
            }
        }
        let timeline = timeline
        world.after(wait) { [self] _ in
            guard timeline == self.timeline, !isAway, transaction.phase == .running else { return }
            written(transaction)
        }
    }

    /// Whether it begins where the last commit left the log.
    private func follows(_ batch: LogBatch) -> Bool {
        let log = log
        do throws(LogError) {
            try batch.check(in: [World.workspace.id]) { key in log.sessions[key].map { ($0.place, $0.state == nil) } }
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
        awaiting.removeAll { $0.transaction === transaction }
    }

    private func written(_ transaction: DatabaseTransaction) {
        transaction.phase = .written
        let change: Change
        switch transaction.kind {
        case .commit(let batch, let number, _): change = .batch(batch, number: number)
        case .claim: change = .owner(claimed(by: transaction.connection.holder))
        case .claimAnew:
            var fresh = row
            fresh.generation += 1
            change = .owner(fresh)
        }
        write(change)
        awaiting.append((changes.count, transaction))
        let isHasty = world.plant == .hastyLoad && !transaction.isCommit
        if !isSynchronous || isHasty { show(transaction) }
    }

    private func claimed(by holder: String) -> Row {
        let isSameLife = row.epoch != nil && (row.bornOn == timeline || world.plant == .keptEpoch)
        var fresh = row
        fresh.generation += 1
        fresh.holder = holder
        fresh.bornOn = timeline
        if !isSameLife {
            lastEpoch += 1
            fresh.epoch = Epoch("epoch\(lastEpoch)")
        }
        return fresh
    }

    /// Others see it from now on.
    private func show(_ transaction: DatabaseTransaction) {
        guard transaction.phase == .written, let index = awaiting.first(where: { $0.transaction === transaction })?.change
        else {
            return
        }
        finish(transaction)
        let change = changes[index - 1]
        switch (transaction.kind, change) {
        case (.commit(_, _, let generation), .batch(let batch, let number)):
            world.history.commits(batch, as: generation, of: row)
            batches.insert(number)
            apply(batch)
            transaction.reply(.committed)
        case (_, .owner(let fresh)):
            world.history.claims(fresh, after: row, on: timeline, in: log)
            row = fresh
            world.trace.note(
                world.now, "database", "is owned", "by \(fresh.holder ?? "nobody") in generation \(fresh.generation)")
            transaction.reply(.claimed(fresh))
        default: preconditionFailure("a transaction makes the change of its kind")
        }
        grant()
    }

    private func apply(_ batch: LogBatch) {
        // The plants write what a log refuses.
        do throws(LogError) { try log.commit(batch) } catch { world.history.refuses(batch, error) }
        if let complaint = log.complaint { world.report(.decision, complaint.sentence) }
    }

    // MARK: The standby

    private func write(_ change: Change) {
        changes.append(change)
        let (count, timeline) = (changes.count, timeline)
        world.after(world.dice.within(0...3)) { [self] _ in
            if timeline == self.timeline, !isAway, !isStandbyAway { replicate(count) }
        }
    }

    private func replicate(_ count: Int) {
        replicated = max(replicated, count)
        for entry in awaiting where entry.change <= replicated { show(entry.transaction) }
    }

    /// Whether everything that can be loaded now is on the standby.
    var isAllReplicated: Bool { replicated == changes.count }

    func standbyLeaves(for wait: Int64) {
        guard !isStandbyAway else { return }
        world.trace.note(world.now, "standby", "is away", "for \(wait) ms")
        isStandbyAway = true
        world.after(wait) { _ in self.standbyReturns() }
    }

    func standbyReturns() {
        guard isStandbyAway else { return }
        isStandbyAway = false
        if !isAway { replicate(changes.count) }
    }

    /// The machine is lost, and the standby takes its place: with what it has.
    func promote(after wait: Int64) {
        guard !isAway else { return }
        isAway = true
        isStandbyAway = false
        for connection in connections { connection.close() }
        for transaction in active + queue { transaction.phase = .over }
        (connections, active, queue, awaiting) = ([], [], [], [])
        world.trace.note(
            world.now, "database", "is lost", "with \(changes.count - replicated) changes that the standby has not")
        world.after(wait) { _ in self.started() }
    }

    private func started() {
        changes = Array(changes.prefix(replicated))
        timeline += 1
        isAway = false
        startedAt = world.now
        (log, row, batches) = (Self.emptyLog(), Row(), [])
        for change in changes {
            switch change {
            case .owner(let fresh): row = fresh
            case .batch(let batch, let number):
                batches.insert(number)
                apply(batch)
            }
        }
        world.trace.note(world.now, "database", "is promoted", "to timeline \(timeline)")
        world.history.promoted(to: log, isSynchronous: isSynchronous)
    }
}
