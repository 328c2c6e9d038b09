internal import HeliographPostgreSQL

/// Failures that an acknowledged commit survives.
package struct Durability: Sendable, Equatable {
    /// True if commits wait for the disk of another machine.
    package let isSynchronous: Bool
    /// Number of standbys that commits wait for now; nil if the role may not see it (`pg_read_all_stats`).
    package let standbysInSync: Int?
    /// Number of standbys that must confirm a commit: with fewer connected, no commit is acknowledged.
    package let standbysNeeded: Int

    static func read(on connection: PostgresConnection, within limit: Duration) throws -> Self {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT current_setting('synchronous_standby_names') <> ''
                    AND current_setting('synchronous_commit') IN ('on', 'remote_apply'),
                    pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
                    (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
                    current_setting('synchronous_standby_names')
                """), within: limit)
        let row = rows[0]
        return Self(
            isSynchronous: row.bool(0), standbysInSync: row.bool(1) ? Int(row.integer(2)) : nil,
            standbysNeeded: StandbyRule(row.text(3)).needed)
    }
}
