internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// Reads the core's initial state.
enum LogLoader {
    /// Time limit: enough for every session of a large relay, at 250 MB/s or less.
    private static let loadingMax = Duration.seconds(120)

    /// Loads in the caller's transaction, which sees one moment.
    static func load(_ scope: LogScope, resolvedSince: Int64, on connection: PostgresConnection) throws -> LogStateBuilder {
        let found = try connection.run(
            [
                statement(
                    """
                    SELECT w.workspace, s.session, \(StoredPlace.columns) FROM sessions AS s
                    JOIN workspaces AS w ON w.number = s.workspace
                    """, order: "s.workspace, s.number", in: scope, "s.workspace"),
                statement(
                    """
                    SELECT w.workspace, s.session, \(StoredApproval.columns) FROM approvals AS a
                    JOIN sessions AS s ON (s.workspace, s.number) = (a.workspace, a.session)
                    JOIN workspaces AS w ON w.number = a.workspace
                    """, where: "(a.resolved_at IS NULL OR a.resolved_at >= $1::bigint)", order: "a.number", in: scope,
                    "a.workspace",
                    resolvedSince),
                statement(
                    """
                    SELECT w.workspace, c.client, c.command, c.at FROM commands AS c
                    JOIN workspaces AS w ON w.number = c.workspace
                    """, in: scope, "c.workspace"),
                statement(
                    """
                    SELECT w.workspace, r.kind, r.name, r.bytes, r.checksum FROM push_records AS r
                    JOIN workspaces AS w ON w.number = r.workspace
                    """, order: "w.workspace, r.kind, r.name", in: scope, "r.workspace"),
                statement("SELECT w.workspace FROM workspaces AS w", where: "w.removed_at IS NOT NULL", in: scope, "w.number"),
            ], within: loadingMax)
        var builder = LogStateBuilder(without: Set(found[4].map { $0.text(0) }))
        for row in found[0] {
            builder.addSession(workspace: row.text(0), session: row.text(1)) { StoredPlace(row, of: $0, from: 2) }
        }
        for row in found[1] {
            builder.addApproval(workspace: row.text(0), session: row.text(1)) { StoredApproval(row, from: 2) }
        }
        for row in found[2] {
            builder.addCommand(workspace: row.text(0), client: row.text(1), command: row.text(2), at: row.integer(3))
        }
        for row in found[3] {
            builder.addRecord(
                workspace: row.text(0), kind: row.text(1), name: row.text(2), bytes: row.bytes(3),
                checksum: row.optionalInteger(4))
        }
        builder.state.clock = try StoredClock.load(in: scope, on: connection)
        return builder
    }

    /// `column` has the workspace's number. `condition` may contain one value, `$1`. Each combination has its own query text: a
    /// common one would get a plan that reads the whole table.
    private static func statement(
        _ selection: String, where condition: String? = nil, order: String? = nil, in scope: LogScope, _ column: String,
        _ value: Int64? = nil
    ) -> PostgresStatement {
        var conditions = condition.map { [$0] } ?? []
        var values = value.map { [PostgresValue.bigint($0)] } ?? []
        if let number = scope.number {
            values.append(.int(number))
            conditions.append("\(column) = $\(values.count)::int")
        }
        var sql = selection
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        if let order { sql += " ORDER BY " + order }
        return PostgresStatement(sql, values)
    }
}
