internal import HeliographPostgreSQL
internal import RelayCluster
internal import RelayCore
internal import RelayProtocol
internal import Synchronization

/// Which relay may commit to the log, as one process of a relay sees it. Each workspace has a row, and what is of none has one; so far one
/// process holds all of them.
///
/// The generation is safety: each commit locks the rows of its workspaces and compares (`fence`), so a replaced relay can write nothing more,
/// however late it wakes up. The lease is liveness: it only says when another may replace it.
struct Ownership: Sendable {
    /// The lease, as the database's clock has it. A relay that cannot renew it for so long is taken for dead.
    static let leaseSeconds = 8
    /// How often somebody who stands by looks.
    static let lookingSeconds = 0.25
    /// A claim behind one that waits for a standby ends in the database, too: those of everybody who stands by would pile up there.
    private static let patience = PostgresStatement("SELECT set_config('lock_timeout', '3000', true)")
    /// A predecessor's connections end within that, or the claim is tried again.
    private static let endingMillisecondsMax: Int64 = 2_000

    /// This process, and no other, not even the next of the same relay.
    let holder: String

    /// How other nodes reach this one; nil: not at all.
    let identity: NodeIdentity?

    init(_ identity: NodeIdentity? = nil) {
        self.identity = identity
        holder = Self.randomName
    }

    private static var randomName: String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).compactMap { _ in letters.randomElement() })
    }

    private static var randomEpoch: Epoch {
        guard let epoch = Epoch(randomName) else { preconditionFailure("letters and digits are an identifier") }
        return epoch
    }

    /// What all connections of this process are called.
    var name: String { "heliograph/\(holder)" }

    /// The row of what is of no workspace: the log's epoch, and what the commits that concern none of them are fenced by.
    static let whole = "*"

    struct Claim: Sendable {
        /// What is of no workspace.
        var whole: Row
        /// Each workspace that was there, or was committed to since.
        var rows: [WorkspaceID: Row]
        /// Which database, and which life of it.
        let bornOn: String
        /// Before the lease was last renewed.
        let renewed: ContinuousClock.Instant

        struct Row: Sendable {
            var generation: Int64
            let epoch: Epoch
        }

        var epoch: Epoch { whole.epoch }
        var epochs: [WorkspaceID: Epoch] { rows.mapValues(\.epoch) }

        /// By scope.
        var generations: [String: Int64] {
            rows.reduce(into: [Ownership.whole: whole.generation]) { $0[$1.key.rawValue] = $1.value.generation }
        }

        /// Refuses the transaction where another owns one of these. All are locked in one order, whoever commits.
        func fence(for workspaces: Set<WorkspaceID>, andWhole: Bool) -> PostgresStatement {
            var fenced: [(scope: String, generation: Int64)] = []
            for workspace in workspaces {
                // One that has no row is not there, and what is committed to it is refused.
                if let row = rows[workspace] { fenced.append((workspace.rawValue, row.generation)) }
            }
            if andWhole || fenced.isEmpty { fenced.append((Ownership.whole, whole.generation)) }
            if fenced.count == 1 {
                return PostgresStatement(
                    "SELECT fence($1::text, $2::bigint)", .text(fenced[0].scope), .bigint(fenced[0].generation))
            }
            return PostgresStatement(
                "SELECT fence($1::text[], $2::bigint[])", .texts(fenced.map(\.scope)), .bigints(fenced.map(\.generation)))
        }
    }

    /// The database's identity and timeline. The timeline that `pg_control_checkpoint` tells is an old one for seconds after a promotion.
    static let born = """
        (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        """

    // MARK: - The first claim

    /// Makes the log this process's where nobody holds it; nil where somebody does, who is alive.
    ///
    /// Where this returns, the claim is as durable as any commit: what is loaded after it is what was committed before it, also on a
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
        /// Nil: what is of no workspace. It comes first, and then the workspaces in their order.
        let workspace: WorkspaceID?
        let generation: Int64
        let holder: String?
        /// Nil where it ends with the next claim.
        let epoch: Epoch?
    }

    /// Whether nobody holds the log who is alive: whose lease is not over, and who is connected. After the database itself has started,
    /// everybody is given the time of a lease to come back.
    private static let isFree = """
        owners.holder IS NULL OR pg_postmaster_start_time() < now() - \(lease) AND (
            NOT EXISTS (SELECT FROM nodes WHERE nodes.holder = owners.holder AND expires_at > now())
            OR NOT EXISTS (
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND starts_with(application_name, 'heliograph/' || owners.holder || '/')))
        """

    /// Nil where a holder is alive, and another: a claim of ours may have come through without a word of it. Who holds the row of what is of
    /// no workspace holds all the others.
    private func look(_ connection: PostgresConnection) throws -> [Seen]? {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT scope, generation, holder, CASE WHEN born_on = \(Self.born) THEN epoch END
                FROM owners LEFT JOIN workspaces ON workspace = scope
                WHERE scope <> '' AND EXISTS (
                    SELECT FROM owners WHERE scope = '\(Self.whole)' AND (\(Self.isFree) OR owners.holder = $1::text))
                ORDER BY number NULLS FIRST
                """, .text(holder)), within: PostgresDatabase.askingMax)
        guard rows.count > 0 else { return nil }
        return try rows.map { row in
            Seen(
                workspace: row.text(0) == Self.whole ? nil : try Stored.identifier(row.text(0)), generation: row.integer(1),
                holder: row.optionalText(2), epoch: try row.optionalText(3).map { try Stored.identifier($0) })
        }
    }

    /// The nodes, the owner, and how often tokens and workspaces were changed, as of one moment.
    func view(_ connection: PostgresConnection) throws -> (view: ClusterView, changes: Int64) {
        let rows = try connection.run(
            [
                PostgresStatement(
                    """
                    SELECT generation, owners.holder, \(Self.isFree), name, url, link_secret, link_version, entrants.changes
                    FROM entrants, owners LEFT JOIN nodes USING (holder) WHERE scope = '\(Self.whole)'
                    """),
                PostgresStatement(
                    "SELECT holder, name FROM nodes WHERE expires_at > now() AND name IS NOT NULL ORDER BY holder"),
            ], within: PostgresDatabase.askingMax)
        let owner = rows[0][0]
        var address: NodeAddress?
        if let holder = owner.optionalText(1), let name = owner.optionalText(3), let url = owner.optionalText(4),
            let secret = owner.optionalText(5)
        {
            address = NodeAddress(holder: holder, name: name, url: url, secret: secret, version: Int(owner.integer(6)))
        }
        let nodes = rows[1].map { ClusterView.Node(holder: $0.text(0), name: $0.text(1)) }
        return (
            ClusterView(
                generation: owner.integer(0), holder: owner.optionalText(1), isFree: owner.bool(2), owner: address, nodes: nodes
            ),
            owner.integer(7)
        )
    }

    /// Whether another process that calls itself a node is alive: its lease is not over, and it is connected.
    func hasCompany(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT EXISTS (
                    SELECT FROM nodes WHERE holder <> $1::text AND name IS NOT NULL AND expires_at > now() AND EXISTS (
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND starts_with(application_name, 'heliograph/' || nodes.holder || '/')))
                """, .text(holder)), within: PostgresDatabase.askingMax)
        return rows[0].bool(0)
    }

    /// They may hold locks for as long as they like: an owner that was stopped in the middle of a commit, one that waits for a standby.
    private func endConnections(of other: String, on connection: PostgresConnection) throws {
        _ = try connection.run(
            PostgresStatement(
                """
                SELECT count(pg_terminate_backend(pid, $2::bigint)) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
                AND starts_with(application_name, 'heliograph/' || $1::text || '/')
                """, .text(other), .bigint(Self.endingMillisecondsMax)), within: PostgresDatabase.askingMax)
    }

    private func claim(over seen: [Seen], on connection: PostgresConnection) throws -> Claim? {
        // Before the rows say so: nobody is to find an owner without a lease.
        try renewLease(on: connection)
        let scopes = seen.map { $0.workspace?.rawValue ?? Self.whole }
        let rows = try connection.run(
            [
                Self.patience,
                // The count below is as of after these locks, and all or nothing is claimed.
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
        // The claim may have waited for longer than the lease lasts, and somebody else may have replaced it already.
        let renewed = ContinuousClock.now
        guard try renewLease(on: connection) == first.text(3) else { return nil }
        let (whole, workspaces) = try Self.rows(rows)
        guard let whole else { throw LogError(.damaged(.store), "The database has no row for what is of no workspace.") }
        return Claim(whole: whole, rows: workspaces, bornOn: first.text(3), renewed: renewed)
    }

    /// Of `scope`, `generation` and `epoch`.
    private static func rows(_ rows: PostgresRows) throws -> (whole: Claim.Row?, workspaces: [WorkspaceID: Claim.Row]) {
        var (whole, workspaces): (Claim.Row?, [WorkspaceID: Claim.Row]) = (nil, [:])
        for row in rows {
            let claimed = Claim.Row(generation: row.integer(1), epoch: try Stored.identifier(row.text(2)))
            if row.text(0) == Self.whole { whole = claimed } else { workspaces[try Stored.identifier(row.text(0))] = claimed }
        }
        return (whole, workspaces)
    }

    /// For each row the epoch that begins where its own has ended.
    ///
    /// One that nobody has claimed yet had none: nothing was committed under what its clients were told, which is made of the log's. One that
    /// has ended while the log's goes on must not be made of that: it would be the same again.
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

    // MARK: - As the owner

    /// A new generation for the same owner, on a connection that it has just made. It is how an unknown outcome becomes a known one: what
    /// an older connection of ours has sent is committed by then, or the fence refuses it for good.
    func claimAnew(_ claim: Claim, on connection: PostgresConnection) throws(LogError) -> Claim {
        do {
            _ = try connection.run(
                PostgresStatement(
                    """
                    SELECT count(pg_terminate_backend(pid, $1::bigint)) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
                    AND application_name = current_setting('application_name')
                    """, .bigint(Self.endingMillisecondsMax)), within: PostgresDatabase.askingMax)
            let found = try connection.run(
                PostgresStatement(
                    "SELECT scope, generation, holder IS NOT DISTINCT FROM $1::text FROM owners WHERE scope <> ''",
                    .text(holder)),
                within: PostgresDatabase.askingMax)
            let seen = found.reduce(into: [:]) { $0[$1.text(0)] = (generation: $1.integer(1), isOurs: $1.bool(2)) }
            // Generations only grow, and no row goes: this is the database as it was before.
            let isOlder = claim.generations.contains { scope, generation in
                guard let row = seen[scope] else { return true }
                return row.generation < generation || row.generation == generation && !row.isOurs
            }
            if isOlder {
                try endEpoch(over: seen.mapValues(\.generation), on: connection)
                throw Self.anotherLife
            }
            guard claim.generations.keys.allSatisfy({ seen[$0]?.isOurs == true }) else { throw Self.replaced }
            // Those that are ours without our knowing, too: a claim came through without a word of it.
            let ours = seen.filter(\.value.isOurs).sorted { $0.key < $1.key }
            let rows = try connection.run(
                [
                    Self.patience, PostgresStatement("SELECT FROM owners WHERE scope <> '' ORDER BY scope FOR UPDATE"),
                    PostgresStatement(
                        """
                        UPDATE owners SET generation = owners.generation + 1 WHERE scope = ANY ($1::text[]) AND (
                            SELECT count(*) FROM owners AS o
                            JOIN unnest($1::text[], $2::bigint[]) AS s (scope, generation) USING (scope, generation)
                            WHERE o.holder = $3::text) = cardinality($1::text[])
                        RETURNING scope, owners.generation, epoch, \(Self.born)
                        """, .texts(ours.map(\.key)), .bigints(ours.map(\.value.generation)), .text(holder)),
                ], within: PostgresDatabase.askingMax)[2]
            try refuseWarning(connection)
            // Somebody else's, or an earlier one of ours that was on its way: the next look tells.
            guard let first = rows.first else {
                throw LogError(.unreachable(isPassing: true), "The log was claimed at the same time.")
            }
            guard first.text(3) == claim.bornOn else { throw Self.anotherLife }
            let (whole, workspaces) = try Self.rows(rows)
            guard let whole else { throw Self.anotherLife }
            return Claim(whole: whole, rows: workspaces, bornOn: claim.bornOn, renewed: claim.renewed)
        } catch {
            throw LogError(error)
        }
    }

    /// Workspaces that were made since, and are nobody's. Those that are not there, the claim has not afterwards; throws `fenced` where one
    /// is another's.
    ///
    /// Only who holds the rest may: the row of what is of no workspace is fenced with it. So a relay that was replaced claims nothing.
    func claim(_ new: Set<WorkspaceID>, beside claim: Claim, on connection: PostgresConnection) throws(LogError) -> Claim {
        do {
            let oldest = try connection.run(
                PostgresStatement("SELECT workspace FROM workspaces ORDER BY number LIMIT 1"),
                within: PostgresDatabase.askingMax)
            guard let row = oldest.first else { return claim }
            let first: WorkspaceID = try Stored.identifier(row.text(0))
            // What the core tells their clients.
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
            guard rows[3][0].integer(0) == 0 else { throw Self.replaced }
            var grown = claim
            for (workspace, row) in try Self.rows(rows[2]).workspaces { grown.rows[workspace] = row }
            return grown
        } catch {
            throw LogError(error)
        }
    }

    /// The next owner begins an epoch in each of these: something that was shown is missing here. A relay with the generations `seen`, by
    /// scope, can commit nothing more.
    func endEpoch(over seen: [String: Int64], on connection: PostgresConnection) throws {
        let seen = seen.sorted { $0.key < $1.key }
        _ = try connection.run(
            [
                Self.patience, PostgresStatement("SELECT FROM owners WHERE scope <> '' ORDER BY scope FOR UPDATE"),
                PostgresStatement(
                    """
                    UPDATE owners SET generation = owners.generation + 1, epoch = NULL
                    FROM unnest($1::text[], $2::bigint[]) AS seen (scope, generation)
                    WHERE owners.scope = seen.scope AND owners.generation = seen.generation
                    """, .texts(seen.map(\.key)), .bigints(seen.map(\.value))),
            ], within: PostgresDatabase.askingMax)
    }

    private static let replaced = LogError(.fenced, "Another relay has taken over the database.")

    static let anotherLife = LogError(
        .fenced,
        "The database is another one, was promoted, or is as it was before: something that was shown may be missing there.")

    /// As `Claim.bornOn`, now; nil where this process does not hold the log any more. Waits for no standby: a renewal that is lost does no
    /// harm.
    @discardableResult func renewLease(
        on connection: PostgresConnection, within limit: Duration = PostgresDatabase.askingMax
    ) throws -> String? {
        let rows = try connection.run(
            [
                PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"),
                PostgresStatement(
                    """
                    INSERT INTO nodes (holder, software, expires_at, name, url, link_secret, link_version)
                    VALUES ($1::text, $2::text, now() + \(Self.lease), $3::text, $4::text, $5::text, $6::int)
                    ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at
                    """, .text(holder), .text(identity?.software ?? "heliograph"), .text(identity?.name), .text(identity?.url),
                    .text(identity?.secret), identity.map { _ in .int(Int32(NodeLinkProtocol.version)) } ?? .null),
                PostgresStatement(
                    "SELECT \(Self.born) FROM owners WHERE scope = '\(Self.whole)' AND holder = $1::text", .text(holder)),
            ], within: limit)
        return rows[2].first?.text(0)
    }

    /// Leaves the log to the relay that comes first, and the nodes.
    func giveUp(on connection: PostgresConnection) throws {
        _ = try connection.run(
            [
                // A standby that does not hear of it takes a relay for the owner that is not connected.
                PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"),
                PostgresStatement("SELECT FROM owners WHERE scope <> '' ORDER BY scope FOR UPDATE"),
                PostgresStatement("UPDATE owners SET holder = NULL WHERE holder = $1::text", .text(holder)),
                // Those that ended without a word, too.
                PostgresStatement(
                    "DELETE FROM nodes WHERE holder = $1::text OR expires_at < now() - interval '1 day'", .text(holder)),
            ], within: PostgresDatabase.askingMax)
    }

    private static let lease = "interval '\(leaseSeconds) seconds'"

    /// A claim that a standby may not have is none.
    private func refuseWarning(_ connection: PostgresConnection) throws(LogError) {
        guard let warning = connection.warning else { return }
        throw LogError(.unreachable(isPassing: true), "The database warns of a claim: \(warning)")
    }
}
