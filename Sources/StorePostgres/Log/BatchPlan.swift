internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// The statements of one batch, for one transaction, checked against what is stored.
///
/// The check can precede the transaction: only the owner writes what it reads, and the first statement refuses the whole batch if
/// this node is no longer the owner.
struct BatchPlan {
    private(set) var facts: StoredFacts
    /// Names that the log had already; see `SessionLog.commit`.
    private(set) var taken: [ApprovalName] = []
    private let scope: LogScope
    private let damage: DamageRegister
    private var events = EventRows()
    private var audits = AuditRows()
    private var sessions: [SessionKey: SessionRow] = [:]
    /// Sessions in the order in which they came.
    private var sessionOrder: [SessionKey] = []
    private var approvals: [CommitMemory.ApprovalKey: ApprovalRow] = [:]
    private var approvalOrder: [CommitMemory.ApprovalKey] = []
    private var others: [PostgresStatement] = []

    init(
        _ batch: LogBatch, in scope: LogScope, _ facts: StoredFacts, _ damage: DamageRegister
    ) throws(LogError) {
        self.facts = facts
        self.scope = scope
        self.damage = damage
        for append in batch.appends { try add(append) }
        for trim in batch.trims { try add(trim) }
        try add(batch.commands, forgettingBefore: batch.commandsForgottenBefore)
        try add(batch.records)
        if let clock = batch.clock { others += StoredClock.statements(clock, in: scope) }
    }

    /// The batch's statements, after the fence.
    func statements(behind fence: PostgresStatement) -> [PostgresStatement] {
        var statements = [fence]
        let rows = sessionOrder.compactMap { sessions[$0] }
        for row in rows where row.isDamaged { statements.append(Self.putAside(row.workspace, row.number)) }
        statements += SessionRow.statements(rows)
        statements += events.statements
        statements += ApprovalRow.statements(approvalOrder.compactMap { approvals[$0] })
        statements += audits.statements
        return statements + others
    }

    /// Updates the memory after the commit.
    func remember(in memory: inout CommitMemory, trims: [SessionTrim]) {
        memory.workspaces = facts.workspaces
        for (key, session) in facts.sessions { memory.remember(session, as: key) }
        for (key, approval) in facts.approvals { memory.remember(approval, as: key) }
        for trim in trims { memory.forget(trim.key) }
    }

    private func number(of workspace: WorkspaceID) throws(LogError) -> Int32 {
        guard let known = facts.workspaces[workspace] else {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
        return known.number
    }

    // MARK: - Appends

    private mutating func add(_ append: SessionAppend) throws(LogError) {
        let (key, state, known) = (append.key, append.state, facts.sessions[append.key])
        let workspace = try number(of: key.workspace)
        try append.check(storedSeq: known?.seq ?? 0, host: known?.host)
        let number = known?.number ?? facts.workspaces[key.workspace]?.nextSession ?? 1
        guard number < Int32.max, state.seq <= EventKey.seqMax else {
            throw LogError(.full, "The database has no number left for session \(key.session) or its events.")
        }
        if known == nil { facts.workspaces[key.workspace]?.nextSession = number + 1 }
        if sessions[key] == nil {
            sessionOrder.append(key)
            sessions[key] = SessionRow(
                key: key, workspace: workspace, number: number, storedSeq: known?.seq, state: state,
                isDamaged: known != nil && damage.hasState(of: key))
        }
        for (offset, event) in append.events.enumerated() {
            events.add(event, workspace, number, append.firstSeq + Int64(offset))
        }
        for event in append.events {
            guard let record = AuditRecord(steering: event, of: key) else { continue }
            try note(record, of: key)
        }
        for approval in append.approvals { try add(approval, of: append, workspace, number) }
        sessions[key]?.state = state
        facts.sessions[key] = CommitMemory.Session(
            workspace: workspace, number: number, host: state.summary.host.id, seq: state.seq)
    }

    private mutating func add(
        _ approval: Approval, of append: SessionAppend, _ workspace: Int32, _ session: Int32
    ) throws(LogError) {
        let key = CommitMemory.ApprovalKey(session: append.key, approval: approval.id)
        let known = facts.approvals[key]
        if known?.isOver == true {
            taken.append(ApprovalName(append.key, approval.id))
            return
        }
        let row = ApprovalRow(approval, workspace: workspace, session: session, isNew: approvals[key]?.isNew ?? (known == nil))
        if approvals.updateValue(row, forKey: key) == nil { approvalOrder.append(key) }
        facts.approvals[key] = CommitMemory.Approval(stage: row.stage, isOver: row.resolvedAt != nil)
        guard row.stage != known?.stage else { return }
        let offset = Int(approval.seq - append.firstSeq)
        let at = append.events.indices.contains(offset) ? append.events[offset].at : append.state.summary.lastActivityAt
        try note(AuditRecord(approval, at: at, workspace: append.key.workspace), of: append.key)
    }

    private mutating func note(_ record: AuditRecord, of session: SessionKey) throws(LogError) {
        guard var place = facts.workspaces[record.workspace]?.audit else {
            throw LogError(.conflict, "There is no workspace \(record.workspace).")
        }
        let line = try place.add(record)
        facts.workspaces[record.workspace]?.audit = place
        audits.add(line, place)
        sessions[session]?.audited = place.head.n
    }

    // MARK: - Trims

    private mutating func add(_ trim: SessionTrim) throws(LogError) {
        let stored = facts.trimmed[trim.key]
        try trim.check(storedSeq: stored?.seq, host: stored?.host, isRemoved: stored?.isRemoved ?? false)
        guard let stored else { preconditionFailure("a trim of no session does not pass its check") }
        let place: [PostgresValue] = [.int(stored.workspace), .int(stored.number)]
        let ofSession = "WHERE workspace = $1::int AND session = $2::int"
        guard let state = trim.state else { return remove(trim, stored, place, ofSession) }
        // Pictures from before the last removed event.
        others.append(
            PostgresStatement(
                """
                DELETE FROM pictures \(ofSession)
                AND at <= (SELECT at FROM events \(ofSession) AND seq = $3::bigint)
                """, place + [.bigint(trim.through)]))
        others.append(
            PostgresStatement("DELETE FROM events \(ofSession) AND seq <= $3::bigint", place + [.bigint(trim.through)]))
        let bytes = state.bytes
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: state.hostSeq, state: bytes, isRemoved: false)
        others.append(
            PostgresStatement(
                """
                UPDATE sessions SET host_seq = $3::bigint, state = $4::bytea, checksum = $5::int
                WHERE workspace = $1::int AND number = $2::int
                """, place + [.bigint(state.hostSeq), .bytea(bytes), .int(checksum.int)]))
    }

    /// Removes a session, except for its position, its usage, and its count of audit records.
    private mutating func remove(
        _ trim: SessionTrim, _ stored: StoredSession, _ place: [PostgresValue], _ ofSession: String
    ) {
        if damage.hasState(of: trim.key) { others.append(Self.putAside(stored.workspace, stored.number)) }
        for table in ["pictures", "events", "approvals"] {
            others.append(PostgresStatement("DELETE FROM \(table) \(ofSession)", place))
        }
        let checksum = RowChecksum(
            session: trim.key, host: stored.hostName, seq: stored.seq, hostSeq: stored.hostSeq, state: trim.usage,
            isRemoved: true)
        others.append(
            PostgresStatement(
                """
                UPDATE sessions SET state = $3::bytea, is_removed = true, checksum = $4::int
                WHERE workspace = $1::int AND number = $2::int
                """, place + [.bytea(trim.usage), .int(checksum.int)]))
    }

    private static func putAside(_ workspace: Int32, _ session: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO damaged_states (workspace, session, seq, state) SELECT workspace, number, seq, state FROM sessions
            WHERE workspace = $1::int AND number = $2::int
            """, .int(workspace), .int(session))
    }

    // MARK: - What is of no session

    private mutating func add(_ commands: [CommandRecord], forgettingBefore: Int64?) throws(LogError) {
        if !commands.isEmpty {
            var workspaces: [Int32] = []
            for command in commands { workspaces.append(try number(of: command.workspace)) }
            others.append(
                PostgresStatement(
                    """
                    INSERT INTO commands SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[])
                    ON CONFLICT (workspace, client, command) DO NOTHING
                    """, .ints(workspaces), .texts(commands.map(\.client.rawValue)), .texts(commands.map(\.command.rawValue)),
                    .bigints(commands.map(\.at))))
        }
        guard let forgettingBefore else { return }
        let before = PostgresValue.bigint(forgettingBefore)
        guard let number = scope.number else {
            return others.append(PostgresStatement("DELETE FROM commands WHERE at < $1::bigint", before))
        }
        others.append(
            PostgresStatement("DELETE FROM commands WHERE workspace = $2::int AND at < $1::bigint", before, .int(number)))
    }

    /// If several records have one name, the last one counts.
    private mutating func add(_ records: [PushRecord]) throws(LogError) {
        var kept = RecordRows()
        var removed = RecordRows()
        var addresses = AddressRows()
        for record in PushRecord.latest(records) {
            if let workspace = facts.workspaces[record.workspace]?.number { addresses.add(record, workspace) }
            guard let bytes = record.bytes else {
                // A workspace that does not exist has no records.
                if let workspace = facts.workspaces[record.workspace]?.number { removed.add(record, workspace, []) }
                continue
            }
            kept.add(record, try number(of: record.workspace), bytes)
        }
        if !removed.names.isEmpty { others.append(removed.deletion) }
        if !kept.names.isEmpty { others.append(kept.upsert) }
        others += addresses.statements
    }
}

extension RowChecksum {
    /// The checksum as PostgreSQL's signed column.
    var int: Int32 { Int32(column) }
}
