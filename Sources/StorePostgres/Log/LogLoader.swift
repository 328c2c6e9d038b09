internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// Reads what the core starts from.
enum LogLoader {
    /// Every session of a large relay, at 250 MB/s and less.
    private static let loadingMax = Duration.seconds(120)

    /// In the caller's transaction, which sees one moment.
    static func load(
        resolvedSince: Int64, commandsSince: Int64, on connection: PostgresConnection
    ) throws -> LogStateBuilder {
        let found = try connection.run(
            [
                PostgresStatement(
                    """
                    SELECT w.workspace, s.session, \(StoredPlace.columns) FROM sessions AS s
                    JOIN workspaces AS w ON w.number = s.workspace ORDER BY s.workspace, s.number
                    """),
                PostgresStatement(
                    """
                    SELECT w.workspace, s.session, \(StoredApproval.columns) FROM approvals AS a
                    JOIN sessions AS s ON (s.workspace, s.number) = (a.workspace, a.session)
                    JOIN workspaces AS w ON w.number = a.workspace
                    WHERE a.resolved_at IS NULL OR a.resolved_at >= $1::bigint ORDER BY a.number
                    """, .bigint(resolvedSince)),
                PostgresStatement(
                    """
                    SELECT w.workspace, client, command, at FROM commands JOIN workspaces AS w ON w.number = commands.workspace
                    WHERE at >= $1::bigint
                    """, .bigint(commandsSince)),
                PostgresStatement(
                    """
                    SELECT w.workspace, r.kind, r.name, r.bytes, r.checksum FROM push_records AS r
                    JOIN workspaces AS w ON w.number = r.workspace ORDER BY w.workspace, r.kind, r.name
                    """),
                PostgresStatement("SELECT value FROM meta WHERE name = $1::text", .text(AgeClockRecord.name)),
                PostgresStatement("SELECT workspace FROM workspaces WHERE removed_at IS NOT NULL"),
            ], within: loadingMax)
        var builder = LogStateBuilder(without: Set(found[5].map { $0.text(0) }))
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
        builder.state.clock = found[4].first.flatMap { AgeClockRecord(text: $0.text(0)) }
        return builder
    }
}
