internal import Foundation
internal import GRDB
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// Writes one batch within its transaction.
struct LogWriter {
    let db: Database
    let audit: AuditTable
    let damage: DamageRegister

    func write(_ batch: LogBatch, _ memory: inout CommitMemory) throws {
        for append in batch.appends { try self.append(append, &memory) }
        for trim in batch.trims {
            memory.forget(trim.key)
            try self.trim(trim)
        }
        try record(batch.commands, forgettingBefore: batch.commandsForgottenBefore)
        for record in batch.records { try put(record) }
        if let clock = batch.clock {
            try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [AgeClockRecord.name, clock.text])
        }
    }

    private func append(_ append: SessionAppend, _ memory: inout CommitMemory) throws {
        let known = try memory.sessions[append.key] ?? StoredSession(append.key, in: db).map(CommitMemory.Session.init)
        try append.check(storedSeq: known?.seq ?? 0, host: known?.host)
        // The row of a new session is inserted before the rows that refer to it; that of a known one is updated once, at the end.
        let session = try known?.number ?? insert(append)
        guard session <= EventKey.sessionMax, append.state.seq <= EventKey.seqMax else {
            throw LogError(.full, "\(audit.path) has no number left for session \(append.key.session) or its events.")
        }
        try insert(append.events, from: EventKey.id(session: session, seq: append.firstSeq))
        var audited: Int64?
        for event in append.events {
            guard let record = AuditRecord(steering: event, of: append.key) else { continue }
            audited = try note(record, &memory)
        }
        for approval in append.approvals {
            if let n = try write(approval, of: append, session: session, &memory) { audited = n }
        }
        if let known {
            try update(append, over: known, audited)
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

    /// `id`: of the first event; those of a session are consecutive.
    private func insert(_ events: [LogEvent], from id: Int64) throws {
        var (rest, id) = (events[...], id)
        for (count, sql) in [(Statement.eventsAtOnce, Statement.eventsInsertion), (1, Statement.eventInsertion)]
        where rest.count >= count {
            let insertion = try db.cachedStatement(sql: sql)
            while rest.count >= count {
                try insertion.insert(rest.prefix(count), from: id)
                rest = rest.dropFirst(count)
                id += Int64(count)
            }
        }
    }

    private func update(
        _ append: SessionAppend, over known: CommitMemory.Session, _ audited: Int64?
    ) throws {
        let state = append.state
        if damage.hasState(of: append.key) { try putAsideState(of: known.number) }
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
            throw LogError(.conflict, "Session \(append.key.session) is not where the last commit has left it.")
        }
    }

    /// Returns the session's number in the file.
    private func insert(_ append: SessionAppend) throws -> Int64 {
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

    /// If the approval has reached another stage, returns the number of its audit record.
    private func write(
        _ approval: Approval, of append: SessionAppend, session: Int64, _ memory: inout CommitMemory
    ) throws -> Int64? {
        let key = CommitMemory.ApprovalKey(session: session, approval: approval.id)
        let (stage, record) = (approval.stage.word.rawValue, approval.bytes)
        let checksum = RowChecksum(
            approval: approval.id.rawValue, session: session, seq: approval.seq, stage: stage,
            resolvedAt: approval.stage.resolvedAt,
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
                $0.add(approval.stage.resolvedAt)
                $0.add(record)
                $0.add(checksum.column)
            }
            if db.changesCount == 1 { number = db.lastInsertedRowID } else { known = try stored(key) }
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
                $0.add(approval.stage.resolvedAt)
                $0.add(record)
                $0.add(checksum.column)
                $0.add(known.number)
            }
            guard db.changesCount == 1 else {
                throw LogError(.conflict, "Approval \(approval.id) is not where the last commit has left it.")
            }
            number = known.number
        }
        if let number, approval.stage.resolvedAt == nil {
            memory.remember(CommitMemory.Approval(number: number, stage: stage, isOver: false), as: key)
        } else {
            memory.forget(key)
        }
        guard stage != known?.stage else { return nil }
        let offset = Int(approval.seq - append.firstSeq)
        let at = append.events.indices.contains(offset) ? append.events[offset].at : append.state.summary.lastActivityAt
        return try note(AuditRecord(approval, at: at, workspace: append.key.workspace), &memory)
    }

    /// Adds an audit record, and returns its number.
    private func note(_ record: AuditRecord, _ memory: inout CommitMemory) throws -> Int64 {
        let place = try audit.add(record, after: memory.audits[record.workspace], in: db)
        memory.audits[record.workspace] = place
        return place.head.n
    }

    private func stored(_ key: CommitMemory.ApprovalKey) throws -> CommitMemory.Approval? {
        let query = try db.cachedStatement(
            sql: "SELECT number, stage, resolved_at IS NOT NULL FROM approvals WHERE session = ? AND approval = ?")
        return try query.first({
            $0.add(key.session)
            $0.add(key.approval.rawValue)
        }) { CommitMemory.Approval(number: $0.integer(0), stage: $0.text(1), isOver: $0.integer(2) != 0) }
    }

    private func trim(_ trim: SessionTrim) throws {
        let stored = try StoredSession(trim.key, in: db)
        try trim.check(storedSeq: stored?.seq, host: stored?.host, isRemoved: stored?.isRemoved ?? false)
        guard let stored else { preconditionFailure("a trim of no session does not pass its check") }
        let session = stored.number
        let through = trim.state == nil ? EventKey.seqMax : trim.through
        try PictureTable.forget(trim, of: session, in: db)
        let deletion = try db.cachedStatement(sql: "DELETE FROM events WHERE id > ? AND id < ?")
        try deletion.execute(arguments: [
            EventKey.id(session: session, seq: 0), EventKey.id(session: session, seq: through + 1),
        ])
        guard let state = trim.state else { return try remove(stored, trim) }
        let bytes = state.bytes
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: state.hostSeq, state: bytes, isRemoved: false)
        let update = try db.cachedStatement(sql: "UPDATE sessions SET host_seq = ?, state = ?, checksum = ? WHERE number = ?")
        try update.execute(arguments: [state.hostSeq, Data(bytes), checksum.column, session])
    }

    /// Removes a session, except for its position, its usage, and its count of audit records.
    private func remove(_ stored: StoredSession, _ trim: SessionTrim) throws {
        if damage.hasState(of: trim.key) { try putAsideState(of: stored.number) }
        try db.cachedStatement(sql: "DELETE FROM approvals WHERE session = ?").execute(arguments: [stored.number])
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: stored.hostSeq, state: trim.usage,
            isRemoved: true)
        let update = try db.cachedStatement(sql: "UPDATE sessions SET state = ?, is_removed = 1, checksum = ? WHERE number = ?")
        try update.execute(arguments: [Data(trim.usage), checksum.column, stored.number])
    }

    private func putAsideState(of session: Int64) throws {
        try db.execute(
            sql: "INSERT INTO damaged_states (session, seq, state) SELECT number, seq, state FROM sessions WHERE number = ?",
            arguments: [session])
    }

    private func record(_ commands: [CommandRecord], forgettingBefore: Int64?) throws {
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

    private func put(_ record: PushRecord) throws {
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
}
