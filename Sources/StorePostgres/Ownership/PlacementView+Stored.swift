internal import HeliographPostgreSQL
internal import RelayCluster
internal import RelayProtocol

extension PlacementView {
    /// Reads the current placement, and how often tokens and workspaces were changed.
    ///
    /// A removed workspace is included as long as any of its data is left. While a relay is alone on the database, no workspace is
    /// free: it also owns those that were just made.
    static func read(
        on connection: PostgresConnection, within limit: Duration
    ) throws(PostgresError) -> (view: PlacementView, changes: Int64) {
        let found = try connection.run(
            [
                PostgresStatement("SELECT changes FROM entrants"),
                PostgresStatement(
                    """
                    SELECT holder, name, url, link_secret, link_version, is_leaving FROM nodes
                    WHERE expires_at > now() AND name IS NOT NULL AND url IS NOT NULL AND link_secret IS NOT NULL ORDER BY holder
                    """),
                // One check for all that a process owns shows whether it is alive.
                PostgresStatement(
                    """
                    WITH processes AS MATERIALIZED (
                        SELECT holder, \(Ownership.isFree("known")) AS is_free FROM (SELECT DISTINCT holder FROM owners) AS known
                    )
                    SELECT scope, generation, holder, holder IS NULL OR (
                        SELECT is_free FROM processes WHERE processes.holder = owners.holder), number, epoch
                    FROM owners JOIN workspaces AS w ON workspace = scope WHERE removed_at IS NULL OR \(WorkspaceData.isLeft)
                    ORDER BY number
                    """),
                PostgresStatement("SELECT \(Ownership.isFree()) FROM owners WHERE scope = '\(Ownership.whole)'"),
            ], within: limit)
        let isNobodyAlone = found[3].first?.bool(0) ?? true
        let rows = found[2].map { row in
            Row(
                scope: row.text(0), number: Int32(row.integer(4)), generation: row.integer(1), holder: row.optionalText(2),
                isFree: isNobodyAlone && row.bool(3), epoch: row.optionalText(5).flatMap { Epoch($0) })
        }
        let nodes = found[1].map { row in
            NodeAddress(
                holder: row.text(0), name: row.text(1), url: row.text(2), secret: row.text(3), version: Int(row.integer(4)))
        }
        let leaving = Set(found[1].lazy.filter { $0.bool(5) }.map { $0.text(0) })
        return (PlacementView(rows: rows, nodes: nodes, leaving: leaving), found[0][0].integer(0))
    }
}
