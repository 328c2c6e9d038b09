internal import Foundation
internal import GRDB
package import RelayCore
package import RelayModel
package import RelayProtocol
internal import RelayStore
internal import Synchronization

/// The log's tables in the data file.
package final class SQLiteSessionLog: SessionLog, Sendable {
    package let epoch: Epoch
    private let database: SQLiteDatabase
    private let audit: AuditTable
    /// The record of this run; nil for the command line.
    private let run: RunRecord?
    /// Disk space reserved for decisions; nil for the command line.
    private let reserve: Reserve?
    private let damage: DamageRegister
    /// True after a disk error, until a write is known to work again. Only `commit` and `load` use it, never at the same time.
    private let isInDoubt = Atomic(false)
    /// Memory of commits, which come in turn.
    private let memory = Mutex(CommitMemory())

    init(_ database: SQLiteDatabase, epoch: Epoch, run: RunRecord?, reserve: Reserve?, damage: DamageRegister) {
        self.database = database
        self.epoch = epoch
        self.run = run
        self.reserve = reserve
        self.damage = damage
        audit = AuditTable(path: database.path)
    }

    /// A session whose state does not decode must not prevent loading all the others: it is returned as removed, with the position
    /// in its columns, and `StoreUpkeep.damagedRecords` names it. Its row stays untouched; an event that revives it first saves the
    /// state elsewhere.
    ///
    /// After a disk error this reads the file again, and throws as long as the disk takes no writes: a relay that started from what
    /// it reads could not store anything.
    package func load(resolvedSince: Int64) throws(LogError) -> LogState {
        if isInDoubt.load(ordering: .relaxed) {
            try database.reopen()
            isInDoubt.store(false, ordering: .relaxed)
        }
        let loaded = try database.read { db in
            try LogLoader.load(resolvedSince: resolvedSince, from: db)
        }
        damage.loaded(loaded.damaged)
        return loaded.state
    }

    // MARK: - Writing

    /// Once this returns, the batch is on disk. After `inDoubt` the outcome is unknown: the batch may appear at the next start, as
    /// may one whose commit was interrupted by a crash; trying the same batch again is safe. After any other error it is not
    /// stored.
    ///
    /// A disk error leaves open whether the batch is stored, so it is looked for: if it is there and the disk takes writes after
    /// all, this returns normally. As long as the disk does not, every commit throws.
    ///
    /// The cost of a trim grows with what it removes: 10,000 events of 650 bytes took 0.2 s. Remove more in steps.
    @discardableResult package func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try commit(batch, onDisk: { _ in })
    }

    package func commit(_ batch: LogBatch, told: ([ApprovalName]) -> Void) throws(LogError) {
        var isTold = false
        let taken = try commit(
            batch,
            onDisk: { taken in
                // Nothing is shown before the name of this run is on disk too.
                guard run?.isBegun ?? true else { return }
                isTold = true
                told(taken)
            })
        if !isTold { told(taken) }
    }

    /// `onDisk` is called as soon as the transaction is on disk; not if the batch was stored already.
    private func commit(_ batch: LogBatch, onDisk: ([ApprovalName]) -> Void) throws(LogError) -> [ApprovalName] {
        try batch.check()
        let taken = try put(orFind: batch, onDisk)
        run?.committed(events: batch.appends.reduce(0) { $0 + $1.events.count })
        damage.forget(mendedBy: batch)
        return taken
    }

    private func put(orFind batch: LogBatch, _ onDisk: ([ApprovalName]) -> Void) throws(LogError) -> [ApprovalName] {
        if isInDoubt.load(ordering: .relaxed), try settle(batch) { return try namesTaken(in: batch) }
        do throws(LogError) {
            return try putWithReserve(batch, onDisk)
        } catch {
            guard error.code == .inDoubt else { throw error }
            isInDoubt.store(true, ordering: .relaxed)
            guard let isThere = try? settle(batch), isThere else { throw error }
            return try namesTaken(in: batch)
        }
    }

    /// Commits with the reserve if the disk is full. That is meant for decisions: a batch with many events is refused instead, and
    /// its hosts send them again.
    private func putWithReserve(_ batch: LogBatch, _ onDisk: ([ApprovalName]) -> Void) throws(LogError) -> [ApprovalName] {
        func isLarge() -> Bool {
            batch.eventBytes > Reserve.eventBytesMax
        }
        if reserve?.isUsed ?? false, isLarge() {
            throw LogError(.full, "The disk of \(database.path) is full, but for what is kept for decisions.")
        }
        do throws(LogError) { return try put(batch, onDisk) } catch {
            // Nothing of the batch was stored, and now there is space.
            guard error.isFullByFile, let reserve, reserve.giveUp(), !isLarge() else { throw error }
            return try put(batch, onDisk)
        }
    }

    private func put(_ batch: LogBatch, _ onDisk: ([ApprovalName]) -> Void) throws(LogError) -> [ApprovalName] {
        var memory = memory.withLock { memory in
            defer { memory = CommitMemory() }
            return memory
        }
        memory.taken = []
        let taken = try database.write(
            { db in
                try run?.begin(in: db)
                try LogWriter(db: db, audit: audit, damage: damage).write(batch, &memory)
                return memory.taken
            }, committed: onDisk)
        self.memory.withLock { $0 = memory }
        return taken
    }

    private func namesTaken(in batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try database.read { try BatchSearch(db: $0).namesTaken(in: batch) }
    }

    /// Finds out the outcome after a disk error: returns whether the batch is stored. Throws if the disk takes no writes.
    private func settle(_ batch: LogBatch) throws(LogError) -> Bool {
        try database.reopen()
        let isThere = try database.read { try BatchSearch(db: $0).contains(batch) }
        isInDoubt.store(false, ordering: .relaxed)
        return isThere
    }

    // MARK: - Reading

    package func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession] {
        try database.read { db in
            let query = try db.cachedStatement(
                sql: "SELECT \(StoredPlace.columns) FROM sessions WHERE workspace = ? AND session = ?")
            return try sessions.reduce(into: [:]) { places, key in
                let row = try Row.fetchOne(query, arguments: [key.workspace.rawValue, key.session.rawValue])
                places[key] = row.flatMap { StoredPlace($0, of: key, from: 0)?.place }
            }
        }
    }

    package func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval? {
        try database.read { db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT \(StoredApproval.columns) FROM approvals JOIN sessions ON sessions.number = approvals.session
                    WHERE workspace = ? AND sessions.session = ? AND approval = ?
                    """)
            let row = try Row.fetchOne(
                query, arguments: [session.workspace.rawValue, session.session.rawValue, id.rawValue])
            guard let stored = row.map({ StoredApproval($0, from: 0) }) else { return nil }
            guard stored.isIntact else {
                throw LogError(.damaged(.record), "Approval \(id) of session \(session.session) \(DamagedRecord.changed).")
            }
            return try database.decode { () throws(WireError) in try Approval(stored: stored.record) }
        }
    }

    package func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) throws(LogError) -> ApprovalPage {
        try database.read { db in
            var page = ApprovalPage(limit: limit, bytesMax: bytesMax)
            // Sorted by number in a subquery, so that no record is read that the page does not take.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT approvals.number, sessions.state, \(StoredApproval.columns) FROM (
                        SELECT approvals.number AS newest FROM approvals JOIN sessions ON sessions.number = approvals.session
                        WHERE sessions.workspace = ? AND sessions.host = ? AND approvals.number < ?
                        ORDER BY approvals.number DESC LIMIT ?
                    )
                    JOIN approvals ON approvals.number = newest JOIN sessions ON sessions.number = approvals.session
                    ORDER BY approvals.number DESC
                    """, arguments: [workspace.rawValue, host.rawValue, before, limit + 1])
            while let row = try rows.next() {
                let stored = StoredApproval(row, from: 2)
                guard page.takes(row[0], bytes: stored.record.count) else { break }
                page.add(stored, state: row[1])
            }
            return page
        }
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        let after = min(max(after, 0), EventKey.seqMax)
        return try page(
            of: session, from: after, to: EventKey.seqMax + 1, order: "ASC", PageBuilder(limit: limit, bytesMax: bytesMax))
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        let before = min(max(before, 0), EventKey.seqMax + 1)
        return try page(
            of: session, from: 0, to: before, order: "DESC", PageBuilder(limit: limit, bytesMax: bytesMax)
        )
        .turned
    }

    /// Events between two numbers, both exclusive; `first` is the number of the first event that was read.
    ///
    /// A page ends before a missing or damaged event. Throws `damaged` if that is the first one.
    private func page(
        of key: SessionKey, from: Int64, to: Int64, order: StaticString, _ builder: PageBuilder
    ) throws(LogError) -> LogPage {
        try database.read { db in
            var page = LogPage(first: 0, events: [])
            var builder = builder
            guard let session = try StoredSession(key, in: db)?.number else { return page }
            let query = try db.cachedStatement(
                sql: """
                    SELECT id, kind, at, bytes, checksum FROM events WHERE id > ? AND id < ? ORDER BY id \(order) LIMIT ?
                    """)
            var last: Int64?
            var damaged: Int64?
            try unsafe query.forEachEvent([
                EventKey.id(session: session, seq: from), EventKey.id(session: session, seq: to), max(0, builder.limit),
            ]) { id, isIntact, bytes in
                let seq = EventKey.seq(id: id)
                guard isIntact else {
                    damaged = seq
                    return false
                }
                guard last.map({ abs(seq - $0) == 1 }) ?? true, unsafe builder.take([UInt8](bytes)) else { return false }
                if page.first == 0 { page.first = seq }
                last = seq
                return true
            }
            page.events = builder.events
            if let damaged, page.events.isEmpty {
                throw LogError(.damaged(.record), "Event \(damaged) of session \(key.session) \(DamagedRecord.changed).")
            }
            return page
        }
    }
}
