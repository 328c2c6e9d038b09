internal import HeliographPostgreSQL
package import RelayCore

/// State of a database, as it reports it, as far as a relay's guarantees depend on it. Reading it changes nothing.
package struct DatabaseState: Sendable {
    package let version: String
    package let schema: Int
    /// Name of the schema with the tables.
    package let schemaName: String
    package let synchronousCommit: String
    package let synchronousStandbyNames: String
    /// Standbys that count for a commit, as far as the role may see them.
    package let standbysInSync: Int
    /// Number of standbys that each commit waits for.
    package let standbysNeeded: Int
    package let standbys: Int
    /// True if the role may read the standbys' progress.
    package let seesStandbys: Bool
    package let isStandby: Bool
    package let timeline: String
    package let hasPageChecksums: Bool
    /// True if the database is not on this machine.
    package let isRemote: Bool
    package let isEncrypted: Bool
    package let mayMakeTables: Bool
    /// The relay that owns everything, alone on the database; nil: there is none.
    package let holder: String?
    /// Remaining time of the holder's lease; negative once it has expired.
    package let leaseSeconds: Int64
    /// Number of connected relays and commands, without the holder.
    package let others: Int
    /// Number of workspaces without a live owner.
    package let freeWorkspaceCount: Int
    /// The database's clock minus this machine's, corrected by half of the round trip; in milliseconds.
    package let clockAheadMilliseconds: Int64
    /// Nodes by name; those that ended without notice are listed for a day.
    package let nodes: [NodeState]

    /// `clock`: this machine's clock, in milliseconds since 1970.
    package static func read(at address: String, clock: () -> Int64) throws(LogError) -> Self {
        do {
            let name = Ownership().name
            let connection = try PostgresConnection(to: address, as: "\(name)/doctor", of: .any)
            try Migration.check(connection)
            let asked = clock()
            let now = try connection.run(
                .once("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"), within: PostgresDatabase.askingMax)
            let halfway = asked + (clock() - asked) / 2
            let rows = try connection.run(.once(question, .text(name)), within: PostgresDatabase.askingMax)
            let nodes = try connection.run(.once(nodesQuestion), within: PostgresDatabase.askingMax)
            return Self(rows[0], clockAheadMilliseconds: now[0].integer(0) - halfway, nodes: nodes.map(node))
        } catch {
            throw LogError(error)
        }
    }

    private init(_ row: PostgresRows.Row, clockAheadMilliseconds: Int64, nodes: [NodeState]) {
        (version, schema) = (row.text(0), Int(row.integer(1)))
        (synchronousCommit, synchronousStandbyNames) = (row.text(2), row.text(3))
        (standbysInSync, standbys, seesStandbys) = (Int(row.integer(4)), Int(row.integer(5)), row.bool(6))
        (isStandby, timeline, hasPageChecksums) = (row.bool(7), row.text(8), row.bool(9))
        (isRemote, isEncrypted, mayMakeTables) = (row.bool(10), row.bool(11), row.bool(12))
        (holder, leaseSeconds, others) = (row.optionalText(13), row.integer(14), Int(row.integer(15)))
        freeWorkspaceCount = Int(row.integer(16))
        schemaName = row.text(17)
        standbysNeeded = StandbyRule(row.text(3)).needed
        self.clockAheadMilliseconds = clockAheadMilliseconds
        self.nodes = nodes
    }

    private static func node(_ row: PostgresRows.Row) -> NodeState {
        NodeState(
            holder: row.text(0), name: row.text(1), url: row.text(2), secret: row.text(3), linkVersion: Int(row.integer(4)),
            leaseSeconds: row.integer(5), isConnected: row.bool(6), isOwner: row.bool(7),
            workspaceCount: Int(row.integer(8)), software: row.text(9))
    }

    private static let nodesQuestion = """
        SELECT holder, name, coalesce(url, ''), coalesce(link_secret, ''), coalesce(link_version, 0)::bigint,
            extract(epoch FROM expires_at - clock_timestamp())::bigint,
            EXISTS (
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND starts_with(application_name, 'heliograph/' || nodes.holder || '/')
            ), EXISTS (SELECT FROM owners WHERE owners.holder = nodes.holder),
            (SELECT count(*) FROM owners JOIN workspaces ON workspace = scope WHERE owners.holder = nodes.holder), software
        FROM nodes WHERE name IS NOT NULL ORDER BY name, holder
        """

    private static let question = """
        SELECT current_setting('server_version'), (SELECT coalesce(max(version), 0) FROM versions),
            current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
            (SELECT count(*) FROM pg_stat_replication), pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
            pg_is_in_recovery(),
            CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
            current_setting('data_checksums') = 'on',
            inet_server_addr() IS NOT NULL AND inet_server_addr() <> inet_client_addr(),
            coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
            has_schema_privilege(current_schema(), 'CREATE'),
            owners.holder, coalesce(extract(epoch FROM nodes.expires_at - clock_timestamp())::bigint, -1), (
                SELECT count(DISTINCT split_part(application_name, '/', 2)) FROM pg_stat_activity
                WHERE datname = current_database() AND starts_with(application_name, 'heliograph/')
                AND NOT starts_with(application_name, $1::text)
                AND split_part(application_name, '/', 2) IS DISTINCT FROM owners.holder
            ), (
                SELECT count(*) FROM owners AS o JOIN workspaces AS w ON workspace = scope
                WHERE (removed_at IS NULL OR \(WorkspaceData.isLeft)) AND \(Ownership.isFree("o")) AND \(Ownership.isFree())
            ), current_schema()::text
        FROM owners LEFT JOIN nodes USING (holder) WHERE scope IN ('', '\(Ownership.whole)') ORDER BY scope DESC LIMIT 1
        """
}
