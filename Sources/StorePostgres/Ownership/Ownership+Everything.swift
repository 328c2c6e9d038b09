internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol

/// The claim of a relay that is alone on the database.
extension Ownership {
    /// Claims everything for this process if nothing has a living owner; nil otherwise.
    ///
    /// Once this returns, the claim is as durable as any commit: what is loaded after it is what was committed before it, even on a
    /// standby.
    func claim(_ connection: PostgresConnection) throws(LogError) -> Claim? {
        do {
            guard let seen = try look(connection) else { return nil }
            for other in Set(seen.compactMap(\.holder)) where other != holder { try endConnections(of: other, on: connection) }
            return try claim(over: seen, on: connection)
        } catch {
            throw LogError(error)
        }
    }

    /// A row of `owners`.
    private struct Seen {
        /// Nil: the row for data of no workspace, which comes first; the workspaces follow in their order.
        let workspace: WorkspaceID?
        let generation: Int64
        let holder: String?
        /// Nil if the epoch ends with the next claim.
        let epoch: Epoch?
    }

    /// Nil if another, living process owns any row: an earlier claim of ours may have been committed without our getting the
    /// answer.
    private func look(_ connection: PostgresConnection) throws -> [Seen]? {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT scope, generation, holder, CASE WHEN born_on = \(Self.born) THEN epoch END
                FROM owners LEFT JOIN workspaces ON workspace = scope
                WHERE scope <> '' AND NOT EXISTS (
                    SELECT FROM (SELECT DISTINCT holder FROM owners WHERE scope <> '') AS others
                    WHERE holder <> $1::text AND NOT \(Self.isFree("others")))
                ORDER BY number NULLS FIRST
                """, .text(holder)), within: PostgresDatabase.askingMax)
        guard rows.count > 0 else { return nil }
        return try rows.map { row in
            Seen(
                workspace: row.text(0) == Self.whole ? nil : try Stored.identifier(row.text(0)), generation: row.integer(1),
                holder: row.optionalText(2), epoch: try row.optionalText(3).map { try Stored.identifier($0) })
        }
    }

    private func claim(over seen: [Seen], on connection: PostgresConnection) throws -> Claim? {
        // Before the rows change: no process may see an owner without a lease.
        try renewLease(on: connection)
        let scopes = seen.map { $0.workspace?.rawValue ?? Self.whole }
        let rows = try connection.run(
            [
                Self.patience,
                // Taken first, so that the count below is from after these locks, and either everything is claimed or nothing.
                PostgresStatement("SELECT FROM owners WHERE scope <> '' ORDER BY scope FOR UPDATE"),
                PostgresStatement(
                    """
                    UPDATE owners SET generation = owners.generation + 1, holder = $1::text, born_on = \(Self.born),
                        epoch = CASE WHEN epoch IS NOT NULL AND born_on = \(Self.born) THEN epoch ELSE seen.fresh END
                    FROM unnest($2::text[], $3::bigint[], $4::text[]) AS seen (scope, generation, fresh)
                    WHERE owners.scope = seen.scope AND (
                        SELECT count(*) = count(s.scope) FROM owners AS o
                        LEFT JOIN unnest($2::text[], $3::bigint[]) AS s (scope, generation) USING (scope, generation)
                        WHERE o.scope <> '')
                    RETURNING owners.scope, owners.generation, epoch, born_on
                    """, .text(holder), .texts(scopes), .bigints(seen.map(\.generation)),
                    .texts(fresh(over: seen).map(\.rawValue))),
            ], within: PostgresDatabase.askingMax)[2]
        try refuseWarning(connection)
        guard let first = rows.first else { return nil }
        // The claim may have waited longer than the lease lasts, and another process may have replaced it already.
        let renewed = ContinuousClock.now
        guard try renewLease(on: connection) == first.text(3) else { return nil }
        guard let claim = try Claim(.everything, Claim.rows(rows), bornOn: first.text(3), renewed: renewed) else {
            throw LogError(.damaged(.store), "The database has no row for what is of no workspace.")
        }
        return claim
    }

    /// For each row the epoch to begin if its own has ended.
    ///
    /// A row that was never claimed had no epoch: nothing was committed under the one that its clients were sent, which is derived
    /// from the log's. One that has ended while the log's continues must not be derived again, as that would give the same one.
    private func fresh(over seen: [Seen]) -> [Epoch] {
        let known = seen.first { $0.workspace == nil }?.epoch
        let log = known ?? Self.randomEpoch
        guard let first = seen.lazy.compactMap(\.workspace).first else { return seen.map { _ in log } }
        let epochs = Epochs(ofLog: log, first: first)
        return seen.map { row in
            guard let workspace = row.workspace else { return log }
            return known == nil || row.generation == 0 ? epochs[workspace] : Self.randomEpoch
        }
    }

    /// Claims workspaces that were made since and have no owner. Those that no longer exist are not in the resulting claim; throws
    /// `fenced` if another process owns one.
    ///
    /// Only the owner of the rest may do this: the row for data of no workspace is fenced with it, so a replaced relay claims
    /// nothing.
    func claim(_ new: Set<WorkspaceID>, beside claim: Claim, on connection: PostgresConnection) throws(LogError) -> Claim {
        do {
            let oldest = try connection.run(
                PostgresStatement("SELECT workspace FROM workspaces ORDER BY number LIMIT 1"),
                within: PostgresDatabase.askingMax)
            guard let row = oldest.first else { return claim }
            let first: WorkspaceID = try Stored.identifier(row.text(0))
            // The epochs that the core announces to these workspaces' clients.
            let epochs = Epochs(ofLog: claim.epoch, first: first, known: claim.epochs)
            let new = new.sorted { $0.rawValue < $1.rawValue }
            let scopes = PostgresValue.texts(new.map(\.rawValue))
            let rows = try connection.run(
                [
                    Self.patience, claim.fence(for: [], andWhole: true),
                    PostgresStatement(
                        """
                        UPDATE owners SET generation = generation + 1, holder = $1::text, born_on = $2::text, epoch = n.fresh
                        FROM unnest($3::text[], $4::text[]) AS n (scope, fresh)
                        WHERE owners.scope = n.scope AND (holder = $1::text OR holder IS NULL AND generation = 0)
                        RETURNING owners.scope, generation, epoch
                        """, .text(holder), .text(claim.bornOn), scopes, .texts(new.map { epochs[$0].rawValue })),
                    PostgresStatement(
                        "SELECT count(*) FROM owners WHERE scope = ANY ($1::text[]) AND holder IS DISTINCT FROM $2::text",
                        scopes,
                        .text(holder)),
                ], within: PostgresDatabase.askingMax)
            try refuseWarning(connection)
            guard rows[3][0].integer(0) == 0 else { throw Self.replaced(in: claim.scope) }
            var grown = claim
            grown.add(try Claim.rows(rows[2]))
            return grown
        } catch {
            throw LogError(error)
        }
    }
}
