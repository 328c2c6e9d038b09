internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// The rows of a removed workspace, without its audit log unless it is erased.
///
/// Not fenced: the workspace has no owner any more, and a relay that still commits to it finds its sessions gone, and reads
/// everything again.
struct WorkspaceData {
    /// True if workspace `w` has rows that its owner still needs, including channels, which have to be deleted at the push service.
    ///
    /// Reads the first entry of each index: an EXISTS in a query about many workspaces reads the whole of each table, and this
    /// query is frequent.
    static let isLeft = """
        ((SELECT min(number) FROM sessions WHERE workspace = w.number) IS NOT NULL
        OR (SELECT min(client) FROM commands WHERE workspace = w.number) IS NOT NULL
        OR (SELECT min(kind) FROM push_records WHERE workspace = w.number) IS NOT NULL
        OR w.is_erased AND (SELECT min(n) FROM audit WHERE workspace = w.number) IS NOT NULL)
        """

    private let number: Int32
    private let isErased: Bool
    private let connection: PostgresConnection

    /// Reads the data in the caller's transaction.
    init(of workspace: WorkspaceID, on connection: PostgresConnection) throws {
        let sql = "SELECT number, is_erased FROM workspaces WHERE workspace = $1::text AND removed_at IS NOT NULL"
        let rows = try connection.run(
            PostgresStatement(sql, .text(workspace.rawValue)), within: PostgresDatabase.askingMax)
        guard let row = rows.first else { throw LogError(.conflict, "The workspace \(workspace) was not removed.") }
        number = Int32(row.integer(0))
        isErased = row.bool(1)
        self.connection = connection
    }

    var isGone: Bool {
        get throws {
            let rows = try connection.run(
                PostgresStatement(
                    """
                    SELECT NOT EXISTS (SELECT FROM sessions WHERE workspace = $1::int)
                    AND NOT EXISTS (SELECT FROM commands WHERE workspace = $1::int)
                    AND NOT EXISTS (SELECT FROM push_records WHERE workspace = $1::int AND kind <> 'channel')
                    AND ($2::int = 0 OR NOT EXISTS (SELECT FROM audit WHERE workspace = $1::int))
                    """, .int(number), .int(isErased ? 1 : 0)), within: PostgresDatabase.askingMax)
            return rows.first?.bool(0) ?? true
        }
    }

    /// Deletes some of the rows; true if nothing is left.
    func remove(rowsMax: Int) throws -> Bool {
        // The number of rows in these tables is limited, so they are deleted at once.
        _ = try delete("commands WHERE workspace = $1::int")
        _ = try delete("push_records WHERE workspace = $1::int AND kind <> 'channel'")
        _ = try delete("push_addresses WHERE workspace = $1::int AND NOT has_moved")
        var left = rowsMax
        while left > 0 {
            let rows = try connection.run(
                PostgresStatement(
                    "SELECT number, audited FROM sessions WHERE workspace = $1::int ORDER BY number LIMIT 1", .int(number)),
                within: PostgresDatabase.askingMax)
            guard let row = rows.first else {
                try removeAudit(rowsMax: left)
                break
            }
            let session = PostgresValue.int(Int32(row.integer(0)))
            left -= try delete(
                """
                events WHERE (workspace, session, seq) IN (
                    SELECT workspace, session, seq FROM events WHERE workspace = $1::int AND session = $2::int
                    ORDER BY seq LIMIT $3::bigint)
                """, session, .bigint(Int64(left)))
            guard left > 0 else { break }
            for table in ["pictures", "approvals", "damaged_states"] {
                left -= try delete("\(table) WHERE workspace = $1::int AND session = $2::int", session)
            }
            // The session's row counts its audit records; from now on its workspace's row has to.
            _ = try connection.run(
                PostgresStatement(
                    "UPDATE workspaces SET audited = greatest(audited, $2::bigint) WHERE number = $1::int", .int(number),
                    .bigint(row.integer(1))), within: PostgresDatabase.askingMax)
            left -= try delete("sessions WHERE workspace = $1::int AND number = $2::int", session)
        }
        return try isGone
    }

    /// Deletes the newest records first, so that meanwhile the rest is a log whose end was cut off.
    private func removeAudit(rowsMax: Int) throws {
        guard isErased else { return }
        _ = try connection.run(
            PostgresStatement("UPDATE workspaces SET audited = 0 WHERE number = $1::int", .int(number)),
            within: PostgresDatabase.askingMax)
        _ = try delete(
            """
            audit WHERE (workspace, n) IN (
                SELECT workspace, n FROM audit WHERE workspace = $1::int ORDER BY n DESC LIMIT $2::bigint)
            """, .bigint(Int64(rowsMax)))
    }

    /// - Returns: the number of rows deleted.
    private func delete(_ rows: String, _ values: PostgresValue...) throws -> Int {
        let sql = "WITH gone AS (DELETE FROM \(rows) RETURNING 1) SELECT count(*) FROM gone"
        let counts = try connection.run(
            PostgresStatement(sql, [.int(number)] + values), within: PostgresDatabase.askingMax)
        return Int(counts.first?.integer(0) ?? 0)
    }
}
