internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol

/// Everything that the commit of a batch needs to know about stored rows; what is not in here is not stored.
struct StoredFacts: Sendable {
    var workspaces: [WorkspaceID: CommitMemory.Workspace]
    var sessions: [SessionKey: CommitMemory.Session] = [:]
    var approvals: [CommitMemory.ApprovalKey: CommitMemory.Approval] = [:]
    var trimmed: [SessionKey: StoredSession] = [:]

    /// Takes the facts from the memory, and reads the others from the database.
    init(
        for batch: LogBatch, in scope: LogScope, _ memory: CommitMemory, on connection: PostgresConnection
    ) throws {
        workspaces = memory.workspaces
        if batch.workspaces.contains(where: { memory.workspaces[$0] == nil }) {
            workspaces = try Self.workspaces(in: scope, on: connection)
        }
        let keys = Set(batch.appends.map(\.key))
        for key in keys { sessions[key] = memory.sessions[key] }
        let unknown = Array(keys.filter { memory.sessions[$0] == nil })
        for (key, stored) in try StoredSession.find(unknown, on: connection) { sessions[key] = .init(stored) }
        try findApprovals(of: batch, memory, on: connection)
        trimmed = try StoredSession.find(batch.trims.map(\.key), on: connection)
    }

    private mutating func findApprovals(
        of batch: LogBatch, _ memory: CommitMemory, on connection: PostgresConnection
    ) throws {
        var unknown: Set<CommitMemory.ApprovalKey> = []
        for append in batch.appends where sessions[append.key] != nil {
            for approval in append.approvals {
                let key = CommitMemory.ApprovalKey(session: append.key, approval: approval.id)
                if let known = memory.approvals[key] { approvals[key] = known } else { unknown.insert(key) }
            }
        }
        guard !unknown.isEmpty else { return }
        let wanted = unknown.compactMap { key in sessions[key.session].map { (key: key, session: $0) } }
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT wanted.place, a.stage, a.resolved_at IS NOT NULL
                FROM unnest($1::int[], $2::int[], $3::text[]) WITH ORDINALITY AS wanted (workspace, session, approval, place)
                JOIN approvals AS a USING (workspace, session, approval)
                """, .ints(wanted.map(\.session.workspace)), .ints(wanted.map(\.session.number)),
                .texts(wanted.map(\.key.approval.rawValue))), within: PostgresDatabase.askingMax)
        for row in rows {
            approvals[wanted[Int(row.integer(0)) - 1].key] = .init(stage: row.text(1), isOver: row.bool(2))
        }
    }

    private static func workspaces(
        in scope: LogScope, on connection: PostgresConnection
    ) throws -> [WorkspaceID: CommitMemory.Workspace] {
        let places = try AuditTable.places(of: scope.workspace, on: connection)
        let question =
            scope.number.map {
                PostgresStatement("SELECT $1::int, coalesce(max(number), 0) FROM sessions WHERE workspace = $1::int", .int($0))
            } ?? PostgresStatement("SELECT workspace, max(number) FROM sessions GROUP BY workspace")
        let rows = try connection.run(question, within: PostgresDatabase.askingMax)
        var last: [Int32: Int32] = [:]
        for row in rows { last[Int32(row.integer(0))] = Int32(row.integer(1)) }
        return places.mapValues { CommitMemory.Workspace(audit: $0, nextSession: last[$0.number, default: 0] + 1) }
    }
}
