internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol

/// The claim of a node, which is one of several: of one workspace.
extension Ownership {
    /// Claims a workspace for this process, as seen under this generation. Nil if another process was quicker, its owner is alive,
    /// or there is no such workspace.
    ///
    /// Once this returns, the claim is as durable as any commit: data loaded after it includes all that was committed before it,
    /// also on a standby.
    func claim(
        _ workspace: WorkspaceID, generation: Int64, on connection: PostgresConnection
    ) throws(LogError) -> Claim? {
        do {
            guard let seen = try look(at: workspace, generation, on: connection) else { return nil }
            // A living process that has released the workspace keeps its connections, as none of them commits to it.
            for other in Set([seen.holder, seen.whole].compactMap(\.self)) where other != holder {
                try endConnections(of: other, on: connection)
            }
            return try claim(seen, on: connection)
        } catch {
            throw LogError(error)
        }
    }

    /// A row of `owners` that may be claimed.
    private struct Seen {
        let workspace: WorkspaceID
        let number: Int32
        let generation: Int64
        /// The previous owner: nil, a process that is dead, or this one.
        let holder: String?
        /// The dead relay that was alone on the database; nil if there was none.
        let whole: String?
        /// The epoch to begin if the workspace's own has ended.
        let fresh: Epoch
    }

    /// A live owner of the data that is of no workspace is the only relay on the database: a workspace that it does not own yet was
    /// only just made.
    private func look(at workspace: WorkspaceID, _ generation: Int64, on connection: PostgresConnection) throws -> Seen? {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT w.number, owners.holder, owners.generation, whole.holder,
                    CASE WHEN whole.born_on = \(Self.born) THEN whole.epoch END,
                    (SELECT workspace FROM workspaces ORDER BY number LIMIT 1)
                FROM owners JOIN workspaces AS w ON workspace = owners.scope JOIN owners AS whole ON whole.scope = '\(Self.whole)'
                WHERE owners.scope = $1::text AND owners.generation = $2::bigint AND \(Self.isFree("whole"))
                AND (\(Self.isFree()) OR owners.holder = $3::text)
                """, .text(workspace.rawValue), .bigint(generation), .text(holder)), within: PostgresDatabase.askingMax)
        guard let row = rows.first else { return nil }
        let log: Epoch? = try row.optionalText(4).map { try Stored.identifier($0) }
        // The same epoch as if a relay that is alone had claimed it.
        let told = try log.map { Epochs(ofLog: $0, first: try Stored.identifier(row.text(5)))[workspace] }
        return Seen(
            workspace: workspace, number: Int32(row.integer(0)), generation: generation, holder: row.optionalText(1),
            whole: row.optionalText(3), fresh: (generation == 0 ? told : nil) ?? Self.randomEpoch)
    }

    private func claim(_ seen: Seen, on connection: PostgresConnection) throws -> Claim? {
        let scope = LogScope.workspace(seen.workspace, number: seen.number)
        // Before the row changes: no process may see an owner without a lease.
        try renewLease(owning: scope.row, on: connection)
        let rows = try connection.run(
            [
                Self.patience,
                // A dead relay that was alone must not continue with the other rows when it wakes up. This lock comes first in each
                // order.
                PostgresStatement(
                    """
                    UPDATE owners SET generation = generation + 1, holder = NULL WHERE scope = '\(Self.whole)' AND holder = $1::text
                    """, .text(seen.whole)),
                PostgresStatement(
                    """
                    UPDATE owners SET generation = generation + 1, holder = $1::text, born_on = \(Self.born),
                        epoch = CASE WHEN epoch IS NOT NULL AND born_on = \(Self.born) THEN epoch ELSE $4::text END
                    WHERE scope = $2::text AND generation = $3::bigint RETURNING scope, generation, epoch, born_on
                    """, .text(holder), .text(scope.row), .bigint(seen.generation), .text(seen.fresh.rawValue)),
            ], within: PostgresDatabase.askingMax)[2]
        try refuseWarning(connection)
        guard let row = rows.first else { return nil }
        // The claim may have waited longer than the lease lasts, and another process may have replaced it already.
        let renewed = ContinuousClock.now
        guard try renewLease(owning: scope.row, on: connection) == row.text(3) else { return nil }
        return try Claim(scope, Claim.rows(rows), bornOn: row.text(3), renewed: renewed)
    }

    /// Releases the claimed row. What older connections have sent is committed by then, or the fence refuses it for good.
    func handOver(_ claim: Claim, on connection: PostgresConnection) throws {
        try endConnections(called: claim.scope.connection, on: connection)
        _ = try connection.run(
            [
                // As in a release of everything, this commit does not wait for a standby.
                PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"), Self.patience,
                PostgresStatement(
                    """
                    UPDATE owners SET generation = generation + 1, holder = NULL
                    WHERE scope = $1::text AND holder = $2::text AND generation >= $3::bigint
                    """, .text(claim.scope.row), .text(holder), .bigint(claim.generations[claim.scope.row])),
            ], within: PostgresDatabase.askingMax)
    }
}
