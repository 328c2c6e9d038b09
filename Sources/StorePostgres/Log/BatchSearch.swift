internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// Looks for a batch in the database, after a commit with an unknown outcome.
struct BatchSearch {
    let connection: PostgresConnection
    let scope: LogScope

    private static let ofSession = "(workspace, session) = ($1::int, $2::int)"

    private func rows(_ sql: String, _ values: PostgresValue...) throws -> PostgresRows {
        try connection.run(PostgresStatement(sql, values), within: PostgresDatabase.askingMax)
    }

    /// For a batch that was found in the database: the names of its approvals that the log had before this batch.
    func namesTaken(in batch: LogBatch) throws -> [ApprovalName] {
        var taken: [ApprovalName] = []
        let sessions = try StoredSession.find(Array(Set(batch.appends.map(\.key))), on: connection)
        for append in batch.appends {
            guard let session = sessions[append.key] else { continue }
            let last = Dictionary(append.approvals.map { ($0.id, $0.seq) }) { _, later in later }
            for (approval, seq) in last.sorted(by: { $0.value < $1.value }) {
                let stored = try rows(
                    "SELECT seq FROM approvals WHERE \(Self.ofSession) AND approval = $3::text", .int(session.workspace),
                    .int(session.number), .text(approval.rawValue)
                ).first?.integer(0)
                if let stored, stored < append.firstSeq, stored < seq { taken.append(ApprovalName(append.key, approval)) }
            }
        }
        return taken
    }

    /// True if the database is in the state after the batch. A batch is stored whole or not at all, so it is enough to look at the
    /// rows that can show it; one that changes nothing counts as stored.
    func contains(_ batch: LogBatch) throws -> Bool {
        // If a batch adds to one session several times, only the last addition is visible; the earlier ones were overwritten.
        let last = Dictionary(batch.appends.map { ($0.key, $0) }) { _, later in later }
        let records = Dictionary(batch.records.map { ($0.key, $0) }) { _, later in later }
        let sessions = try StoredSession.find(Array(last.keys) + batch.trims.map(\.key), on: connection)
        for append in last.values where try !contains(append, sessions[append.key]) { return false }
        for record in records.values where try !contains(record) { return false }
        for trim in batch.trims where try !contains(trim, sessions[trim.key]) { return false }
        for command in batch.commands where command.at >= batch.commandsForgottenBefore ?? .min {
            let found = try rows(
                """
                SELECT FROM commands WHERE workspace = (SELECT number FROM workspaces WHERE workspace = $1::text)
                AND client = $2::text AND command = $3::text
                """, .text(command.workspace.rawValue), .text(command.client.rawValue), .text(command.command.rawValue))
            guard found.count > 0 else { return false }
        }
        guard let before = batch.commandsForgottenBefore else { return true }
        return try rows(
            "SELECT FROM commands WHERE at < $1::bigint AND ($2::int IS NULL OR workspace = $2::int) LIMIT 1", .bigint(before),
            scope.number.map { .int($0) } ?? .null
        ).count == 0
    }

    /// Compares the last event byte by byte; an addition without events is recognised by the session's state.
    private func contains(_ append: SessionAppend, _ stored: StoredSession?) throws -> Bool {
        guard let stored, stored.seq >= append.state.seq, !stored.isRemoved else { return false }
        guard let event = append.events.last else { return try state(of: stored) == append.state.bytes }
        let found = try rows(
            "SELECT bytes FROM events WHERE \(Self.ofSession) AND seq = $3::bigint", .int(stored.workspace),
            .int(stored.number), .bigint(append.state.seq))
        return found.first?.bytes(0) == event.bytes
    }

    private func contains(_ trim: SessionTrim, _ stored: StoredSession?) throws -> Bool {
        guard let stored else { return false }
        guard let state = trim.state else { return stored.isRemoved }
        let left = try rows(
            "SELECT FROM events WHERE \(Self.ofSession) AND seq <= $3::bigint LIMIT 1", .int(stored.workspace),
            .int(stored.number), .bigint(trim.through))
        return try left.count == 0 && self.state(of: stored) == state.bytes
    }

    private func contains(_ record: PushRecord) throws -> Bool {
        let found = try rows(
            """
            SELECT bytes FROM push_records WHERE workspace = (SELECT number FROM workspaces WHERE workspace = $1::text)
            AND kind = $2::text AND name = $3::text
            """, .text(record.workspace.rawValue), .text(record.kind.rawValue), .text(record.name))
        return found.first?.bytes(0) == record.bytes
    }

    private func state(of stored: StoredSession) throws -> [UInt8]? {
        try rows(
            "SELECT state FROM sessions WHERE (workspace, number) = ($1::int, $2::int)", .int(stored.workspace),
            .int(stored.number)
        ).first?.bytes(0)
    }
}
