internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// The owner's connection to the log, on which it commits: one batch after the other.
struct LogWriter {
    private let database: PostgresDatabase
    private let ownership: Ownership
    private let damage: DamageRegister
    private(set) var claim: Ownership.Claim
    /// Nil before the first commit, and after the last one has ended.
    private var connection: PostgresConnection?
    private var memory = CommitMemory()
    /// Nobody knows what came of the last commit.
    private var isInDoubt = false
    /// Another has taken over, for good.
    private var fencing: LogError?

    init(_ database: PostgresDatabase, _ ownership: Ownership, _ claim: Ownership.Claim, _ damage: DamageRegister) {
        self.database = database
        self.ownership = ownership
        self.claim = claim
        self.damage = damage
    }

    /// Where this returns, the batch is where the database's commits are: on its disk, and on a standby's where it has a synchronous one.
    ///
    /// Where the database does not say, the batch is looked for on another connection, under another generation; where it is not there,
    /// it is committed once more. Throws `inDoubt` where nobody can look.
    mutating func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        if let fencing { throw fencing }
        do throws(LogError) { return try commitUnlessFenced(batch) } catch {
            if error.code == .fenced { fencing = error }
            throw error
        }
    }

    private mutating func commitUnlessFenced(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        if isInDoubt, let taken = try settle(batch) { return taken }
        do throws(LogError) { return try put(batch) } catch {
            switch error.code {
            case .inDoubt:
                isInDoubt = true
                // Of the two, this error says more.
                let settled: [ApprovalName]?
                do throws(LogError) { settled = try settle(batch) } catch let later {
                    throw later.code == .fenced ? later : error
                }
                if let settled { return settled }
            // It has ended while nobody looked, and nothing was sent.
            case .unreachable(isPassing: true) where connection == nil: break
            default: throw error
            }
        }
        do throws(LogError) { return try put(batch) } catch {
            if error.code == .inDoubt { isInDoubt = true }
            throw error
        }
    }

    /// After this nothing that was sent before can be committed any more.
    mutating func settle() throws(LogError) {
        if let fencing { throw fencing }
        if isInDoubt { _ = try renewed() }
    }

    /// Finds out what came of it: nil where it is not there, and never will be.
    private mutating func settle(_ batch: LogBatch) throws(LogError) -> [ApprovalName]? {
        let search = BatchSearch(connection: try renewed())
        do { return try search.contains(batch) ? search.namesTaken(in: batch) : nil } catch {
            drop()
            isInDoubt = true
            throw LogError(error)
        }
    }

    /// Another connection, and another generation with it: what the last one has sent is there by now, or is refused.
    private mutating func renewed() throws(LogError) -> PostgresConnection {
        drop()
        do {
            let fresh = try database.connect(for: "log")
            claim = try ownership.claimAnew(claim, on: fresh)
            connection = fresh
            isInDoubt = false
            return fresh
        } catch {
            throw LogError(error)
        }
    }

    private mutating func drop() {
        connection = nil
        memory = CommitMemory()
    }

    private mutating func put(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        do throws(LogError) { return try put(batch, besidesWriters: true) } catch {
            guard error.isAuditPlaceTaken else { throw error }
            // Commands have added to the audit log, and could again and again: the second time they wait.
            return try put(batch, besidesWriters: false)
        }
    }

    private mutating func put(_ batch: LogBatch, besidesWriters: Bool) throws(LogError) -> [ApprovalName] {
        let connection: PostgresConnection
        if let open = self.connection { connection = open } else { connection = try renewed() }
        var known = memory
        memory = CommitMemory()
        let plan: BatchPlan
        do {
            if !besidesWriters {
                _ = try connection.run([.once("BEGIN"), PostgresDatabase.oneWriter], within: PostgresDatabase.askingMax)
            }
            plan = try BatchPlan(batch, StoredFacts(for: batch, known, on: connection), damage)
        } catch {
            giveUp(connection, inTransaction: !besidesWriters)
            throw LogError(error)
        }
        let end = besidesWriters ? [] : [PostgresStatement("COMMIT")]
        do {
            _ = try connection.run(
                plan.statements(generation: claim.generation) + end, within: PostgresDatabase.askingMax)
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

    /// Leaves the connection as the next commit needs it, or without one.
    private mutating func giveUp(_ connection: PostgresConnection, inTransaction: Bool) {
        if inTransaction, !connection.isLost {
            // Where it cannot even do this, it is lost.
            _ = try? connection.run(PostgresStatement("ROLLBACK"), within: PostgresDatabase.askingMax)
        }
        if connection.isLost { drop() }
    }
}
