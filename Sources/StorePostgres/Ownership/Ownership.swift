internal import HeliographPostgreSQL
internal import RelayCluster
internal import RelayCore
internal import RelayProtocol
internal import Synchronization

/// Which relay may commit to the log, as one process of a relay sees it.
///
/// The generation is safety: each commit locks the row and compares (`fence`), so a replaced relay can write nothing more, however late
/// it wakes up. The lease is liveness: it only says when another may replace it.
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
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        holder = String((0..<20).compactMap { _ in letters.randomElement() })
    }

    /// What all connections of this process are called.
    var name: String { "heliograph/\(holder)" }

    struct Claim: Sendable {
        let generation: Int64
        let epoch: Epoch
        /// Which database, and which life of it.
        let bornOn: String
        /// Before the lease was last renewed.
        let renewed: ContinuousClock.Instant
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
            if seen.holder != holder { try endConnections(of: seen.holder, on: connection) }
            return try claim(over: seen, on: connection)
        } catch {
            throw LogError(error)
        }
    }

    private struct Seen {
        let generation: Int64
        let holder: String?
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

    /// Nil where the holder is alive, and another: a claim of ours may have come through without a word of it.
    private func look(_ connection: PostgresConnection) throws -> Seen? {
        let rows = try connection.run(
            PostgresStatement(
                "SELECT generation, holder, \(Self.isFree) OR owners.holder = $1::text FROM owners WHERE scope = ''",
                .text(holder)), within: PostgresDatabase.askingMax)
        guard let row = rows.first, row.bool(2) else { return nil }
        return Seen(generation: row.integer(0), holder: row.optionalText(1))
    }

    /// The nodes, the owner, and how often tokens and workspaces were changed, as of one moment.
    func view(_ connection: PostgresConnection) throws -> (view: ClusterView, changes: Int64) {
        let rows = try connection.run(
            [
                PostgresStatement(
                    """
                    SELECT generation, owners.holder, \(Self.isFree), name, url, link_secret, link_version, entrants.changes
                    FROM entrants, owners LEFT JOIN nodes USING (holder) WHERE scope = ''
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
    private func endConnections(of other: String?, on connection: PostgresConnection) throws {
        guard let other else { return }
        _ = try connection.run(
            PostgresStatement(
                """
                SELECT count(pg_terminate_backend(pid, $2::bigint)) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
                AND starts_with(application_name, 'heliograph/' || $1::text || '/')
                """, .text(other), .bigint(Self.endingMillisecondsMax)), within: PostgresDatabase.askingMax)
    }

    private func claim(over seen: Seen, on connection: PostgresConnection) throws -> Claim? {
        // Before the row says so: nobody is to find an owner without a lease.
        try renewLease(on: connection)
        let fresh = Ownership().holder
        let rows = try connection.run(
            [
                Self.patience,
                PostgresStatement(
                    """
                    UPDATE owners SET generation = generation + 1, holder = $1::text, born_on = \(Self.born),
                        epoch = CASE WHEN epoch IS NOT NULL AND born_on = \(Self.born) THEN epoch ELSE $3::text END
                    WHERE scope = '' AND generation = $2::bigint RETURNING generation, epoch, born_on
                    """, .text(holder), .bigint(seen.generation), .text(fresh)),
            ], within: PostgresDatabase.askingMax)[1]
        try refuseWarning(connection)
        guard let row = rows.first else { return nil }
        guard let epoch = Epoch(row.text(1)) else { throw LogError(.damaged(.store), "The database's epoch is misspelled.") }
        // The claim may have waited for longer than the lease lasts, and somebody else may have replaced it already.
        let renewed = ContinuousClock.now
        guard try renewLease(on: connection) == row.text(2) else { return nil }
        return Claim(generation: row.integer(0), epoch: epoch, bornOn: row.text(2), renewed: renewed)
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
            let seen = try connection.run(
                PostgresStatement(
                    "SELECT generation, holder IS NOT DISTINCT FROM $1::text FROM owners WHERE scope = ''", .text(holder)),
                within: PostgresDatabase.askingMax)[0]
            // Generations only grow: this is the database as it was before.
            if seen.integer(0) < claim.generation || seen.integer(0) == claim.generation && !seen.bool(1) {
                try endEpoch(over: seen.integer(0), on: connection)
                throw Self.anotherLife
            }
            guard seen.bool(1) else { throw Self.replaced }
            let rows = try connection.run(
                [
                    Self.patience,
                    PostgresStatement(
                        """
                        UPDATE owners SET generation = generation + 1
                        WHERE scope = '' AND holder = $1::text AND generation = $2::bigint RETURNING generation, \(Self.born)
                        """, .text(holder), .bigint(seen.integer(0))),
                ], within: PostgresDatabase.askingMax)[1]
            try refuseWarning(connection)
            // Somebody else's, or an earlier one of ours that was on its way: the next look tells.
            guard let row = rows.first else {
                throw LogError(.unreachable(isPassing: true), "The log was claimed at the same time.")
            }
            guard row.text(1) == claim.bornOn else { throw Self.anotherLife }
            return Claim(generation: row.integer(0), epoch: claim.epoch, bornOn: claim.bornOn, renewed: claim.renewed)
        } catch {
            throw LogError(error)
        }
    }

    /// The next owner begins an epoch: something that was shown is missing here. A relay with generation `seen` can commit nothing more.
    func endEpoch(over seen: Int64, on connection: PostgresConnection) throws {
        _ = try connection.run(
            [
                Self.patience,
                PostgresStatement(
                    "UPDATE owners SET generation = generation + 1, epoch = NULL WHERE scope = '' AND generation = $1::bigint",
                    .bigint(seen)),
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
                PostgresStatement("SELECT \(Self.born) FROM owners WHERE scope = '' AND holder = $1::text", .text(holder)),
            ], within: limit)
        return rows[2].first?.text(0)
    }

    /// Leaves the log to the relay that comes first, and the nodes.
    func giveUp(on connection: PostgresConnection) throws {
        _ = try connection.run(
            [
                // A standby that does not hear of it takes a relay for the owner that is not connected.
                PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"),
                PostgresStatement("UPDATE owners SET holder = NULL WHERE scope = '' AND holder = $1::text", .text(holder)),
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
