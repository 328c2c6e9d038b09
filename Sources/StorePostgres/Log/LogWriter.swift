internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// The owner's connection to the log, on which it commits one batch after the other.
struct LogWriter {
    /// Time after which the connection of an idle workspace is closed: each connection is a process of the database.
    static let idleMax = Duration.seconds(60)

    private let database: PostgresDatabase
    private let ownership: Ownership
    private let damage: DamageRegister
    private(set) var claim: Ownership.Claim
    /// Nil before the first commit, and after the connection was closed.
    private var connection: PostgresConnection?
    private var lastUsed = ContinuousClock.now
    private var memory = CommitMemory()
    /// True if the outcome of the last commit is unknown.
    private var isInDoubt = false
    /// The error once another process has taken over; permanent.
    private var fencing: LogError?
    private let whenFenced: @Sendable (LogError) -> Void
    /// Last numbers of the sessions with events in the last batch: if the database does not have them, acknowledged events are
    /// lost.
    private var acknowledged: [SessionKey: Int64] = [:]

    /// `whenFenced` is called once, before the commit throws it.
    init(
        _ database: PostgresDatabase, _ ownership: Ownership, _ claim: Ownership.Claim, _ damage: DamageRegister,
        whenFenced: @escaping @Sendable (LogError) -> Void
    ) {
        self.whenFenced = whenFenced
        self.database = database
        self.ownership = ownership
        self.claim = claim
        self.damage = damage
    }

    /// Once this returns, the batch is as durable as the database's commits: on its disk, and on that of a synchronous standby if
    /// there is one.
    ///
    /// If the database does not answer, the batch is looked for on another connection, under another generation, and committed
    /// again if it is not there. Throws `inDoubt` if that is not possible.
    mutating func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        if let fencing { throw fencing }
        defer { lastUsed = .now }
        return try watched { writer throws(LogError) in
            let taken = try writer.commitUnlessFenced(batch)
            if !batch.appends.isEmpty {
                writer.acknowledged = batch.appends.reduce(into: [:]) { $0[$1.key] = $1.state.seq }
            }
            return taken
        }
    }

    private mutating func watched<Value>(_ body: (inout Self) throws(LogError) -> Value) throws(LogError) -> Value {
        do throws(LogError) { return try body(&self) } catch {
            if error.code == .fenced {
                fencing = error
                whenFenced(error)
            }
            throw error
        }
    }

    private mutating func commitUnlessFenced(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        if isInDoubt, let taken = try settled(batch) { return taken }
        do throws(LogError) { return try put(batch) } catch {
            switch error.code {
            case .inDoubt:
                isInDoubt = true
                // The later error is thrown only if it is `fenced`, as it says more then.
                let taken: [ApprovalName]?
                do throws(LogError) { taken = try settled(batch) } catch let later {
                    throw later.code == .fenced ? later : error
                }
                if let taken { return taken }
            // The connection had ended while it was idle, so nothing was sent.
            case .unreachable(isPassing: true) where connection == nil: break
            default: throw error
            }
        }
        do throws(LogError) { return try put(batch) } catch {
            if error.code == .inDoubt { isInDoubt = true }
            throw error
        }
    }

    /// Closes the connection if there was no commit for this long. The next one opens another.
    mutating func disconnect(idleFor time: Duration) {
        if !isInDoubt, ContinuousClock.now - lastUsed >= time { drop() }
    }

    /// Ensures that nothing sent earlier can still be committed.
    mutating func settle() throws(LogError) {
        if let fencing { throw fencing }
        if isInDoubt { _ = try watched { writer throws(LogError) in try writer.renewed() } }
    }

    /// Like `settle`, but throws `inDoubt` for every failure except `fenced`.
    private mutating func settled(_ batch: LogBatch) throws(LogError) -> [ApprovalName]? {
        do throws(LogError) { return try settle(batch) } catch {
            guard error.code != .fenced, error.code != .inDoubt else { throw error }
            throw LogError(.inDoubt, "Nobody can look yet whether the last batch is there: \(error.message)", underlying: error)
        }
    }

    /// Finds out the outcome of a commit: nil if the batch is not stored, and never will be.
    private mutating func settle(_ batch: LogBatch) throws(LogError) -> [ApprovalName]? {
        let search = BatchSearch(connection: try renewed(), scope: claim.scope)
        do { return try search.contains(batch) ? search.namesTaken(in: batch) : nil } catch {
            drop()
            isInDoubt = true
            throw LogError(error)
        }
    }

    /// Opens another connection under another generation: whatever the last connection sent is committed by now, or is refused.
    private mutating func renewed() throws(LogError) -> PostgresConnection {
        drop()
        do {
            let fresh = try database.connect(for: claim.scope.connection)
            claim = try ownership.claimAnew(claim, on: fresh)
            try checkAcknowledged(on: fresh)
            connection = fresh
            isInDoubt = false
            return fresh
        } catch {
            throw LogError(error)
        }
    }

    /// Throws if the database restarted without its last commits, which it does not report on the same timeline
    /// (`synchronous_commit` was off, or its disk is an older copy): if any commits are missing, the last one is among them.
    private func checkAcknowledged(on fresh: PostgresConnection) throws {
        guard !acknowledged.isEmpty else { return }
        let keys = Array(acknowledged.keys)
        let missing = try fresh.run(
            PostgresStatement(
                """
                SELECT count(*) FROM unnest($1::text[], $2::text[], $3::bigint[]) AS known (workspace, session, seq)
                LEFT JOIN workspaces AS w ON w.workspace = known.workspace
                LEFT JOIN sessions AS s ON s.workspace = w.number AND s.session = known.session
                WHERE w.removed_at IS NULL AND coalesce(s.seq, 0) < known.seq
                """, .texts(keys.map(\.workspace.rawValue)), .texts(keys.map(\.session.rawValue)),
                .bigints(keys.map { acknowledged[$0] ?? 0 })), within: PostgresDatabase.askingMax)[0].integer(0)
        guard missing > 0 else { return }
        try ownership.endEpoch(over: claim.generations, on: fresh)
        throw Ownership.anotherLife
    }

    private mutating func drop() {
        connection = nil
        memory = CommitMemory()
    }

    private mutating func put(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        do throws(LogError) { return try put(batch, besidesWriters: true) } catch {
            // Commands have appended to the audit log, and could do so again and again: the second attempt excludes them.
            if error.isAuditPlaceTaken { return try put(batch, besidesWriters: false) }
            // Deadlock with a transaction that locks in another order: the refused one of the two starts again.
            guard error.isOutOfTurn else { throw error }
            return try put(batch, besidesWriters: true)
        }
    }

    private mutating func put(_ batch: LogBatch, besidesWriters: Bool) throws(LogError) -> [ApprovalName] {
        let connection: PostgresConnection
        if let open = self.connection { connection = open } else { connection = try renewed() }
        let workspaces = batch.workspaces
        try claim(workspaces, on: connection)
        var known = memory
        memory = CommitMemory()
        let plan: BatchPlan
        do {
            if !besidesWriters {
                _ = try connection.run([.once("BEGIN"), PostgresDatabase.oneWriter], within: PostgresDatabase.askingMax)
            }
            plan = try BatchPlan(
                batch, in: claim.scope, StoredFacts(for: batch, in: claim.scope, known, on: connection), damage)
        } catch {
            giveUp(connection, inTransaction: !besidesWriters)
            throw LogError(error)
        }
        let end = besidesWriters ? [] : [PostgresStatement("COMMIT")]
        do {
            _ = try connection.run(
                plan.statements(behind: claim.fence(for: workspaces, andWhole: batch.concernsAll)) + end,
                within: PostgresDatabase.askingMax)
        } catch {
            giveUp(connection, inTransaction: !besidesWriters)
            throw LogError(ofCommit: error)
        }
        if let warning = connection.warning {
            drop()
            throw LogError(warning: warning)
        }
        plan.remember(in: &known, trims: batch.trims)
        memory = known
        return plan.taken
    }

    /// Claims workspaces that were made after the log was claimed, and have no owner yet.
    private mutating func claim(_ workspaces: Set<WorkspaceID>, on connection: PostgresConnection) throws(LogError) {
        guard claim.scope == .everything else { return }
        let new = workspaces.filter { !claim.owns($0) }
        guard !new.isEmpty else { return }
        do throws(LogError) { claim = try ownership.claim(new, beside: claim, on: connection) } catch {
            giveUp(connection, inTransaction: false)
            throw error
        }
    }

    /// Keeps the connection if it can be used for the next commit, else closes it.
    private mutating func giveUp(_ connection: PostgresConnection, inTransaction: Bool) {
        if inTransaction, !connection.isLost {
            // If even this fails, the connection is lost.
            _ = try? connection.run(PostgresStatement("ROLLBACK"), within: PostgresDatabase.askingMax)
        }
        if connection.isLost { drop() }
    }
}
