internal import Foundation
internal import GRDB
package import RelayCore
internal import RelayProtocol
internal import Synchronization

extension SQLiteStore {
    /// Where this returns, the batch is on disk. After `io` nobody knows: it may turn up at the next start, as a batch may whose
    /// commit a crash cut short; trying the same batch again is safe. After any other error it is not there.
    ///
    /// An error of the disk leaves open whether the batch is there, so it is looked for: where it is there and the disk takes it
    /// after all, this returns as if nothing had been. As long as the disk does not, every commit throws.
    package func commit(_ batch: LogBatch) throws(StoreError) {
        if isInDoubt.load(ordering: .relaxed), try settle(batch) { return }
        do throws(StoreError) {
            try write { db in
                for append in batch.appends { try self.append(append, in: db) }
            }
        } catch {
            guard error.code == .io else { throw error }
            isInDoubt.store(true, ordering: .relaxed)
            guard let isThere = try? settle(batch), isThere else { throw error }
        }
    }

    /// Finds out what the disk has made of an error: whether the batch is there, and that more can be written.
    private func settle(_ batch: LogBatch) throws(StoreError) -> Bool {
        try reopen()
        let isThere = try contains(batch)
        isInDoubt.store(false, ordering: .relaxed)
        return isThere
    }

    private func append(_ append: SessionAppend, in db: Database) throws {
        let stored = try StoredSession(append.key, in: db)
        try append.check(storedSeq: stored?.seq ?? 0, host: stored?.host)
        let session = try write(append, over: stored?.number, in: db)
        guard session <= EventKey.sessionMax, append.state.seq <= EventKey.seqMax else {
            throw StoreError(.full, "\(path) has no number left for session \(append.key.session) or its events.")
        }
        let insertion = try db.cachedStatement(sql: "INSERT INTO events VALUES (?, ?, ?, ?)")
        for (offset, event) in append.events.enumerated() {
            let id = EventKey.id(session: session, seq: append.firstSeq + Int64(offset))
            try insertion.execute(arguments: [id, event.kind, event.at, Data(event.bytes)])
        }
        for approval in append.approvals { try write(approval, of: append, session: session, in: db) }
    }

    /// Hands back the session's number in the file.
    private func write(_ append: SessionAppend, over number: Int64?, in db: Database) throws -> Int64 {
        let state = append.state
        if let number {
            let update = try db.cachedStatement(sql: "UPDATE sessions SET seq = ?, host_seq = ?, state = ? WHERE number = ?")
            try update.execute(arguments: [state.seq, state.hostSeq, Data(state.bytes), number])
            return number
        }
        let insertion = try db.cachedStatement(
            sql: "INSERT INTO sessions (workspace, session, host, seq, host_seq, state) VALUES (?, ?, ?, ?, ?, ?)")
        try insertion.execute(arguments: [
            append.key.workspace.rawValue, append.key.session.rawValue, state.summary.host.id.rawValue, state.seq,
            state.hostSeq, Data(state.bytes),
        ])
        return db.lastInsertedRowID
    }

    private func write(_ approval: Approval, of append: SessionAppend, session: Int64, in db: Database) throws {
        let upsert = try db.cachedStatement(
            sql: """
                INSERT INTO approvals (session, approval, seq, stage, resolved_at, record) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (session, approval) DO UPDATE SET
                    seq = excluded.seq, stage = excluded.stage, resolved_at = excluded.resolved_at, record = excluded.record
                """)
        try upsert.execute(arguments: [
            session, approval.id.rawValue, approval.seq, approval.stage.rawValue, approval.closedAt, Data(approval.bytes),
        ])
        let offset = Int(approval.seq - append.firstSeq)
        let at = append.events.indices.contains(offset) ? append.events[offset].at : append.state.summary.lastActivityAt
        let step = try db.cachedStatement(
            sql: """
                INSERT INTO approval_history (approval, seq, stage, at)
                SELECT number, seq, stage, ? FROM approvals AS now WHERE session = ? AND approval = ?
                AND stage IS NOT (SELECT stage FROM approval_history WHERE approval = now.number ORDER BY seq DESC LIMIT 1)
                """)
        try step.execute(arguments: [at, session, approval.id.rawValue])
    }

    /// Whether the file has every session as the batch left it, down to the bytes of its last event.
    private func contains(_ batch: LogBatch) throws(StoreError) -> Bool {
        try read { db in
            for append in batch.appends {
                guard let stored = try StoredSession(append.key, in: db), stored.seq >= append.state.seq else { return false }
                // What has no events shows by the session's state instead.
                let bytes =
                    append.events.isEmpty
                    ? try Data.fetchOne(db, sql: "SELECT state FROM sessions WHERE number = ?", arguments: [stored.number])
                    : try Data.fetchOne(
                        db, sql: "SELECT bytes FROM events WHERE id = ?",
                        arguments: [EventKey.id(session: stored.number, seq: append.state.seq)])
                guard bytes == Data(append.events.last?.bytes ?? append.state.bytes) else { return false }
            }
            return true
        }
    }
}
