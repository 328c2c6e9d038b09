internal import Foundation
internal import GRDB
internal import HeliographPlatform
package import RelayCore
internal import RelayProtocol
internal import Synchronization

extension SQLiteStore {
    /// Where this returns, the batch is on disk. After `io` nobody knows: it may turn up at the next start, as a batch may whose
    /// commit a crash cut short; trying the same batch again is safe. After any other error it is not there.
    ///
    /// An error of the disk leaves open whether the batch is there, so it is looked for: where it is there and the disk takes it
    /// after all, this returns as if nothing had been. As long as the disk does not, every commit throws.
    ///
    /// The work of a trim is what it removes: 0.2 s for 10,000 events of 650 bytes were seen. Remove more in steps.
    @discardableResult package func commit(_ batch: LogBatch) throws(StoreError) -> [ApprovalName] {
        try batch.check()
        let taken = try put(orFind: batch)
        run?.committed(events: batch.appends.reduce(0) { $0 + $1.events.count })
        forgetDamage(mendedBy: batch)
        return taken
    }

    private func put(orFind batch: LogBatch) throws(StoreError) -> [ApprovalName] {
        if isInDoubt.load(ordering: .relaxed), try settle(batch) { return try namesTaken(in: batch) }
        do throws(StoreError) {
            return try putWithReserve(batch)
        } catch {
            guard error.code == .io else { throw error }
            isInDoubt.store(true, ordering: .relaxed)
            guard let isThere = try? settle(batch), isThere else { throw error }
            return try namesTaken(in: batch)
        }
    }

    /// What was kept of the disk is for decisions: a batch of events is refused instead, and comes again from its hosts.
    private func putWithReserve(_ batch: LogBatch) throws(StoreError) -> [ApprovalName] {
        func isLarge() -> Bool {
            batch.eventBytes > Reserve.eventBytesMax
        }
        if isShortOfRoom, isLarge() {
            throw StoreError(.full, "The disk of \(path) is full, but for what is kept for decisions.")
        }
        do throws(StoreError) { return try put(batch) } catch {
            let isFull = (error.underlying as? DatabaseError)?.resultCode == .SQLITE_FULL
            // Nothing of it is there, and now there is room.
            guard isFull, let reserve, reserve.giveUp(), !isLarge() else { throw error }
            return try put(batch)
        }
    }

    private func put(_ batch: LogBatch) throws(StoreError) -> [ApprovalName] {
        var memory = memory.withLock { memory in
            defer { memory = CommitMemory() }
            return memory
        }
        memory.taken = []
        try write { db in
            try run?.begin(in: db)
            for append in batch.appends { try self.append(append, &memory, in: db) }
            for trim in batch.trims {
                memory.forget(trim.key)
                try self.trim(trim, in: db)
            }
            try self.record(batch.commands, forgettingBefore: batch.commandsForgottenBefore, in: db)
            for record in batch.records { try self.put(record, in: db) }
            if let clock = batch.clock {
                try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [AgeClockRecord.name, clock.text])
            }
        }
        self.memory.withLock { $0 = memory }
        return memory.taken
    }

    package var isShortOfRoom: Bool { reserve?.isUsed ?? false }

    package func keepRoom() -> Bool { reserve?.keep() ?? true }

    package func wouldTake(bytes: Int) -> Bool {
        guard let free = Disk.freeBytes(at: Files.directory(of: path)), free >= UInt64(bytes) else { return false }
        return (try? write { try $0.execute(sql: "UPDATE meta SET value = value WHERE name = 'created'") }) != nil
    }

    /// Finds out what the disk has made of an error: whether the batch is there, and that more can be written.
    private func settle(_ batch: LogBatch) throws(StoreError) -> Bool {
        try reopen()
        let isThere = try contains(batch)
        isInDoubt.store(false, ordering: .relaxed)
        return isThere
    }

    private func append(_ append: SessionAppend, _ memory: inout CommitMemory, in db: Database) throws {
        let known = try memory.sessions[append.key] ?? StoredSession(append.key, in: db).map(CommitMemory.Session.init)
        try append.check(storedSeq: known?.seq ?? 0, host: known?.host)
        // The row of a new session is there before what refers to it; that of a known one is written once, at the end.
        let session = try known?.number ?? insert(append, in: db)
        guard session <= EventKey.sessionMax, append.state.seq <= EventKey.seqMax else {
            throw StoreError(.full, "\(path) has no number left for session \(append.key.session) or its events.")
        }
        let insertion = try db.cachedStatement(sql: "INSERT INTO events VALUES (?, ?, ?, ?, ?)")
        for (offset, event) in append.events.enumerated() {
            let id = EventKey.id(session: session, seq: append.firstSeq + Int64(offset))
            try insertion.insert(id, event)
        }
        var audited: Int64?
        for approval in append.approvals {
            if let n = try write(approval, of: append, session: session, &memory, in: db) { audited = n }
        }
        if let known {
            try update(append, over: known, audited, in: db)
        } else if let audited {
            let update = try db.cachedStatement(sql: "UPDATE sessions SET audited = ? WHERE number = ?")
            try update.run {
                $0.add(audited)
                $0.add(session)
            }
        }
        let host = append.state.summary.host.id
        memory.remember(CommitMemory.Session(number: session, host: host, seq: append.state.seq), as: append.key)
    }

    private func update(
        _ append: SessionAppend, over known: CommitMemory.Session, _ audited: Int64?, in db: Database
    ) throws {
        let state = append.state
        if isDamaged(append.key) { try putAsideState(of: known.number, in: db) }
        let bytes = state.bytes
        let checksum = RowChecksum(
            session: append.key, host: state.summary.host.id.rawValue, seq: state.seq, hostSeq: state.hostSeq, state: bytes,
            isRemoved: false)
        let update = try db.cachedStatement(
            sql: """
                UPDATE sessions SET seq = ?, host_seq = ?, state = ?, is_removed = 0, checksum = ?, audited = max(audited, ?)
                WHERE number = ? AND seq = ?
                """)
        try update.run {
            $0.add(state.seq)
            $0.add(state.hostSeq)
            $0.add(bytes)
            $0.add(checksum.column)
            $0.add(audited ?? 0)
            $0.add(known.number)
            $0.add(known.seq)
        }
        guard db.changesCount == 1 else {
            throw StoreError(.conflict, "Session \(append.key.session) is not where the last commit has left it.")
        }
    }

    /// Hands back the session's number in the file.
    private func insert(_ append: SessionAppend, in db: Database) throws -> Int64 {
        let (state, host, bytes) = (append.state, append.state.summary.host.id.rawValue, append.state.bytes)
        let checksum = RowChecksum(
            session: append.key, host: host, seq: state.seq, hostSeq: state.hostSeq, state: bytes, isRemoved: false)
        let insertion = try db.cachedStatement(
            sql: "INSERT INTO sessions (workspace, session, host, seq, host_seq, state, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)")
        try insertion.run {
            $0.add(append.key.workspace.rawValue)
            $0.add(append.key.session.rawValue)
            $0.add(host)
            $0.add(state.seq)
            $0.add(state.hostSeq)
            $0.add(bytes)
            $0.add(checksum.column)
        }
        return db.lastInsertedRowID
    }

    /// Where the approval has reached another stage, hands back the number of the audit record that says so.
    private func write(
        _ approval: Approval, of append: SessionAppend, session: Int64, _ memory: inout CommitMemory, in db: Database
    ) throws -> Int64? {
        let key = CommitMemory.ApprovalKey(session: session, approval: approval.id)
        let (stage, record) = (approval.stage.rawValue, approval.bytes)
        let checksum = RowChecksum(
            approval: approval.id.rawValue, session: session, seq: approval.seq, stage: stage, resolvedAt: approval.closedAt,
            record: record)
        var known = memory.approvals[key]
        var number: Int64?
        if known == nil {
            let insertion = try db.cachedStatement(
                sql: """
                    INSERT INTO approvals (session, approval, seq, stage, resolved_at, record, checksum)
                    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, approval) DO NOTHING
                    """)
            try insertion.run {
                $0.add(session)
                $0.add(approval.id.rawValue)
                $0.add(approval.seq)
                $0.add(stage)
                $0.add(approval.closedAt)
                $0.add(record)
                $0.add(checksum.column)
            }
            if db.changesCount == 1 { number = db.lastInsertedRowID } else { known = try stored(key, in: db) }
        }
        if known?.isOver == true {
            memory.taken.append(ApprovalName(append.key, approval.id))
            return nil
        }
        if let known {
            let update = try db.cachedStatement(
                sql: "UPDATE approvals SET seq = ?, stage = ?, resolved_at = ?, record = ?, checksum = ? WHERE number = ?")
            try update.run {
                $0.add(approval.seq)
                $0.add(stage)
                $0.add(approval.closedAt)
                $0.add(record)
                $0.add(checksum.column)
                $0.add(known.number)
            }
            guard db.changesCount == 1 else {
                throw StoreError(.conflict, "Approval \(approval.id) is not where the last commit has left it.")
            }
            number = known.number
        }
        if let number, approval.closedAt == nil {
            memory.remember(CommitMemory.Approval(number: number, stage: stage, isOver: false), as: key)
        } else {
            memory.forget(key)
        }
        guard stage != known?.stage else { return nil }
        let offset = Int(approval.seq - append.firstSeq)
        let at = append.events.indices.contains(offset) ? append.events[offset].at : append.state.summary.lastActivityAt
        let workspace = append.key.workspace
        let place = try audit(
            AuditRecord(approval, at: at, workspace: workspace), after: memory.audits[workspace], in: db)
        memory.audits[workspace] = place
        return place.head.n
    }

    private func stored(_ key: CommitMemory.ApprovalKey, in db: Database) throws -> CommitMemory.Approval? {
        let query = try db.cachedStatement(
            sql: "SELECT number, stage, resolved_at IS NOT NULL FROM approvals WHERE session = ? AND approval = ?")
        return try query.first({
            $0.add(key.session)
            $0.add(key.approval.rawValue)
        }) { CommitMemory.Approval(number: $0.integer(0), stage: $0.text(1), isOver: $0.integer(2) != 0) }
    }

    private func trim(_ trim: SessionTrim, in db: Database) throws {
        let stored = try StoredSession(trim.key, in: db)
        try trim.check(storedSeq: stored?.seq, host: stored?.host, isRemoved: stored?.isRemoved ?? false)
        guard let stored else { preconditionFailure("a trim of no session does not pass its check") }
        let session = stored.number
        let through = trim.state == nil ? EventKey.seqMax : trim.through
        let deletion = try db.cachedStatement(sql: "DELETE FROM events WHERE id > ? AND id < ?")
        try deletion.execute(arguments: [
            EventKey.id(session: session, seq: 0), EventKey.id(session: session, seq: through + 1),
        ])
        guard let state = trim.state else { return try remove(stored, trim, in: db) }
        let bytes = state.bytes
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: state.hostSeq, state: bytes, isRemoved: false)
        let update = try db.cachedStatement(sql: "UPDATE sessions SET host_seq = ?, state = ?, checksum = ? WHERE number = ?")
        try update.execute(arguments: [state.hostSeq, Data(bytes), checksum.column, session])
    }

    /// All but its place, its usage, and what the audit log says of it.
    private func remove(_ stored: StoredSession, _ trim: SessionTrim, in db: Database) throws {
        if isDamaged(trim.key) { try putAsideState(of: stored.number, in: db) }
        try db.cachedStatement(sql: "DELETE FROM approvals WHERE session = ?").execute(arguments: [stored.number])
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: stored.hostSeq, state: trim.usage,
            isRemoved: true)
        let update = try db.cachedStatement(sql: "UPDATE sessions SET state = ?, is_removed = 1, checksum = ? WHERE number = ?")
        try update.execute(arguments: [Data(trim.usage), checksum.column, stored.number])
    }

    private func putAsideState(of session: Int64, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO damaged_states (session, seq, state) SELECT number, seq, state FROM sessions WHERE number = ?",
            arguments: [session])
    }

    private func record(_ commands: [CommandRecord], forgettingBefore: Int64?, in db: Database) throws {
        for command in commands {
            let insertion = try db.cachedStatement(
                sql: """
                    INSERT INTO commands (workspace, client, command, at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (workspace, client, command) DO NOTHING
                    """)
            try insertion.execute(arguments: [
                command.workspace.rawValue, command.client.rawValue, command.command.rawValue, command.at,
            ])
        }
        guard let forgettingBefore else { return }
        try db.cachedStatement(sql: "DELETE FROM commands WHERE at < ?").execute(arguments: [forgettingBefore])
    }

    private func put(_ record: PushRecord, in db: Database) throws {
        let names = [record.workspace.rawValue, record.kind.rawValue, record.name]
        guard let bytes = record.bytes else {
            let deletion = try db.cachedStatement(sql: "DELETE FROM push_records WHERE workspace = ? AND kind = ? AND name = ?")
            return try deletion.execute(arguments: StatementArguments(names))
        }
        let upsert = try db.cachedStatement(
            sql: """
                INSERT INTO push_records (workspace, kind, name, bytes, checksum) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (workspace, kind, name) DO UPDATE SET bytes = excluded.bytes, checksum = excluded.checksum
                """)
        let checksum = RowChecksum(record: names[2], kind: names[1], workspace: names[0], bytes: bytes)
        try upsert.execute(arguments: StatementArguments(names) + [Data(bytes), checksum.column])
    }

    // MARK: - After an error of the disk

    /// Of a batch that was found in the file: whatever its last word is on an approval, the file has it, or had that name before.
    private func namesTaken(in batch: LogBatch) throws(StoreError) -> [ApprovalName] {
        try read { db in
            var taken: [ApprovalName] = []
            for append in batch.appends {
                let last = Dictionary(append.approvals.map { ($0.id, $0.seq) }) { _, later in later }
                for (approval, seq) in last.sorted(by: { $0.value < $1.value }) {
                    let stored = try Int64.fetchOne(
                        db,
                        sql: """
                            SELECT seq FROM approvals WHERE approval = ?
                            AND session = (SELECT number FROM sessions WHERE workspace = ? AND session = ?)
                            """, arguments: [approval.rawValue, append.key.workspace.rawValue, append.key.session.rawValue])
                    if let stored, stored < append.firstSeq, stored < seq { taken.append(ApprovalName(append.key, approval)) }
                }
            }
            return taken
        }
    }

    /// Whether the file is as the batch left it. A batch is there whole or not at all, and one that changes nothing is there:
    /// what of it can be told from the file is enough.
    private func contains(_ batch: LogBatch) throws(StoreError) -> Bool {
        // Of what a batch adds to one session, the last addition shows; those before it were written over.
        let last = Dictionary(batch.appends.map { ($0.key, $0) }) { _, later in later }
        let records = Dictionary(batch.records.map { ($0.key, $0) }) { _, later in later }
        return try read { db in
            for append in last.values where try !self.contains(append, in: db) { return false }
            for record in records.values where try !self.contains(record, in: db) { return false }
            for trim in batch.trims where try !self.contains(trim, in: db) { return false }
            let recorded = "SELECT * FROM commands WHERE workspace = ? AND client = ? AND command = ?"
            for command in batch.commands where command.at >= batch.commandsForgottenBefore ?? .min {
                let query = try db.cachedStatement(sql: recorded)
                let names = [command.workspace.rawValue, command.client.rawValue, command.command.rawValue]
                guard try Row.fetchOne(query, arguments: StatementArguments(names)) != nil else { return false }
            }
            guard let before = batch.commandsForgottenBefore else { return true }
            return try Row.fetchOne(db, sql: "SELECT * FROM commands WHERE at < ?", arguments: [before]) == nil
        }
    }

    /// Down to the bytes of its last event; what has no events shows by the session's state instead.
    private func contains(_ append: SessionAppend, in db: Database) throws -> Bool {
        guard let stored = try StoredSession(append.key, in: db), stored.seq >= append.state.seq, !stored.isRemoved else {
            return false
        }
        guard let event = append.events.last else { return try state(of: stored, in: db) == Data(append.state.bytes) }
        let id = EventKey.id(session: stored.number, seq: append.state.seq)
        return try Data.fetchOne(db, sql: "SELECT bytes FROM events WHERE id = ?", arguments: [id]) == Data(event.bytes)
    }

    private func contains(_ trim: SessionTrim, in db: Database) throws -> Bool {
        guard let stored = try StoredSession(trim.key, in: db) else { return false }
        guard let state = trim.state else { return stored.isRemoved }
        let oldest = EventKey.id(session: stored.number, seq: 0)
        let through = EventKey.id(session: stored.number, seq: trim.through + 1)
        let left = try Row.fetchOne(db, sql: "SELECT id FROM events WHERE id > ? AND id < ?", arguments: [oldest, through])
        return try left == nil && self.state(of: stored, in: db) == Data(state.bytes)
    }

    private func contains(_ record: PushRecord, in db: Database) throws -> Bool {
        let query = try db.cachedStatement(sql: "SELECT bytes FROM push_records WHERE workspace = ? AND kind = ? AND name = ?")
        let names = [record.workspace.rawValue, record.kind.rawValue, record.name]
        return try Data.fetchOne(query, arguments: StatementArguments(names)) == record.bytes.map { Data($0) }
    }

    private func state(of stored: StoredSession, in db: Database) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT state FROM sessions WHERE number = ?", arguments: [stored.number])
    }
}
