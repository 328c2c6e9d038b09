internal import HeliographPostgreSQL
internal import RelayCluster
internal import RelayCore
internal import RelayProtocol
internal import Synchronization

/// A relay process's right to commit. Each workspace has a row, and there is one for data of no workspace; a relay that is alone
/// owns all rows, and each of several nodes owns some workspaces.
///
/// The generation gives safety: each commit locks the rows of its workspaces and compares (`fence`), so a replaced owner can write
/// nothing more, however late it wakes up. The lease gives liveness: it only says when another process may take over everything
/// that this one owns.
struct Ownership: Sendable {
    /// Length of the lease, by the database's clock. A relay that cannot renew it for this long is taken for dead.
    static let leaseSeconds = 8
    /// Interval at which a standby relay checks whether it can claim.
    static let lookingSeconds = 0.25
    /// Time after which this process must regard its lease as lost, measured from before the last renewal was sent, by a clock that
    /// continues while the machine sleeps: a second before another process may take over.
    static let renewalMax = Duration.seconds(leaseSeconds - 1)
    /// Limits the wait for locks: claims of all standby relays would otherwise queue up in the database behind one that waits for a
    /// standby.
    static let patience = PostgresStatement("SELECT set_config('lock_timeout', '3000', true)")
    /// Time in which a predecessor's connections must end, or the claim is tried again.
    private static let endingMillisecondsMax: Int64 = 2_000

    /// Identifies this process only, not even the next process of the same relay.
    let holder: String

    /// This node's address for other nodes; nil: none.
    let identity: NodeIdentity?

    init(_ identity: NodeIdentity? = nil) {
        self.identity = identity
        holder = Self.randomName
    }

    private static var randomName: String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).compactMap { _ in letters.randomElement() })
    }

    static var randomEpoch: Epoch {
        guard let epoch = Epoch(randomName) else { preconditionFailure("letters and digits are an identifier") }
        return epoch
    }

    /// Application name of all connections of this process.
    var name: String { "heliograph/\(holder)" }

    /// Scope of the row for data of no workspace. No node of several owns it.
    static let whole = "*"

    /// The database's identity and timeline. Not from `pg_control_checkpoint`, whose timeline is out of date for seconds after a
    /// promotion.
    static let born = """
        (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        """

    /// True if no living process owns the row of `owners`: one whose lease is valid, and which is connected. After the database
    /// itself has started, every process has the time of a lease to reconnect. `row`: the query's name for that table.
    static func isFree(_ row: String = "owners") -> String {
        """
        (\(row).holder IS NULL OR pg_postmaster_start_time() < now() - \(lease) AND (
            NOT EXISTS (SELECT FROM nodes WHERE nodes.holder = \(row).holder AND expires_at > now())
            OR NOT EXISTS (
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND starts_with(application_name, 'heliograph/' || \(row).holder || '/'))))
        """
    }

    private static let lease = "interval '\(leaseSeconds) seconds'"

    // MARK: - Being alive

    /// Waits for no standby, as a lost renewal does no harm. `isLeaving`: nil leaves it unchanged.
    private func renewal(isLeaving: Bool?) -> [PostgresStatement] {
        [
            PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"),
            PostgresStatement(
                """
                INSERT INTO nodes (holder, software, expires_at, name, url, link_secret, link_version, is_leaving)
                VALUES ($1::text, $2::text, now() + \(Self.lease), $3::text, $4::text, $5::text, $6::int, coalesce($7::int, 0) > 0)
                ON CONFLICT (holder) DO UPDATE
                SET expires_at = excluded.expires_at, is_leaving = coalesce($7::int > 0, nodes.is_leaving)
                """, .text(holder), .text(identity?.software ?? "heliograph"), .text(identity?.name), .text(identity?.url),
                .text(identity?.secret), identity.map { _ in .int(Int32(NodeLinkProtocol.version)) } ?? .null,
                isLeaving.map { .int($0 ? 1 : 0) } ?? .null),
        ]
    }

    /// Returns the present `Claim.bornOn`; nil if this process no longer owns the row `scope`.
    @discardableResult func renewLease(
        owning scope: String = whole, on connection: PostgresConnection, within limit: Duration = PostgresDatabase.askingMax
    ) throws -> String? {
        let question = PostgresStatement(
            "SELECT \(Self.born) FROM owners WHERE scope = $1::text AND holder = $2::text", .text(scope), .text(holder))
        return try connection.run(renewal(isLeaving: nil) + [question], within: limit)[2].first?.text(0)
    }

    /// Throws `fenced` if this process owns something, and the database was restored or promoted since.
    func renewLease(isLeaving: Bool, on connection: PostgresConnection, within limit: Duration) throws {
        let question = PostgresStatement(
            """
            SELECT EXISTS (SELECT FROM owners WHERE scope <> '' AND holder = $1::text AND born_on IS DISTINCT FROM \(Self.born))
            """, .text(holder))
        let rows = try connection.run(renewal(isLeaving: isLeaving) + [question], within: limit)[2]
        if rows[0].bool(0) { throw Self.anotherLife }
    }

    /// True if another node's process is alive: its lease is valid, and it is connected.
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

    /// Releases everything that this process owns, and removes its node row.
    func giveUp(on connection: PostgresConnection) throws {
        _ = try connection.run(
            [
                // Does not wait for a standby. One that misses this commit still has this relay as the owner, but without a
                // connection, so another can take over.
                PostgresStatement("SELECT set_config('synchronous_commit', 'local', true)"),
                PostgresStatement("SELECT FROM owners WHERE holder = $1::text ORDER BY scope FOR UPDATE", .text(holder)),
                PostgresStatement("UPDATE owners SET holder = NULL WHERE holder = $1::text", .text(holder)),
                // Also removes nodes that ended without notice.
                PostgresStatement(
                    "DELETE FROM nodes WHERE holder = $1::text OR expires_at < now() - interval '1 day'", .text(holder)),
            ], within: PostgresDatabase.askingMax)
    }

    // MARK: - Connections of others, and older ones

    /// Ends connections that may hold locks indefinitely: those of an owner that was stopped in the middle of a commit, or that
    /// waits for a standby.
    func endConnections(of other: String, on connection: PostgresConnection) throws {
        try endConnections("starts_with(application_name, $2::text)", "heliograph/\(other)/", on: connection)
    }

    /// Ends other connections of this process that have the same name.
    func endConnections(called purpose: String, on connection: PostgresConnection) throws {
        try endConnections("application_name = $2::text", "\(name)/\(purpose)", on: connection)
    }

    private func endConnections(_ condition: String, _ name: String, on connection: PostgresConnection) throws {
        _ = try connection.run(
            PostgresStatement(
                """
                SELECT count(pg_terminate_backend(pid, $1::bigint)) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() AND \(condition)
                """, .bigint(Self.endingMillisecondsMax), .text(name)), within: PostgresDatabase.askingMax)
    }

    // MARK: - As the owner

    /// Takes a new generation for the same owner, on a new connection. This makes an unknown outcome known: what an older
    /// connection of ours has sent is committed by then, or the fence refuses it for good.
    func claimAnew(_ claim: Claim, on connection: PostgresConnection) throws(LogError) -> Claim {
        do {
            try endConnections(called: claim.scope.connection, on: connection)
            let found = try connection.run(
                PostgresStatement(
                    """
                    SELECT scope, generation, holder IS NOT DISTINCT FROM $1::text FROM owners
                    WHERE scope <> '' AND ($2::text IS NULL OR scope = $2::text)
                    """, .text(holder), .text(claim.scope.workspace?.rawValue)), within: PostgresDatabase.askingMax)
            let seen = found.reduce(into: [:]) { $0[$1.text(0)] = (generation: $1.integer(1), isOurs: $1.bool(2)) }
            // Generations only grow, and no row is ever deleted: so this is an earlier state of the database.
            let isOlder = claim.generations.contains { scope, generation in
                guard let row = seen[scope] else { return true }
                return row.generation < generation || row.generation == generation && !row.isOurs
            }
            if isOlder {
                try endEpoch(over: seen.mapValues(\.generation), on: connection)
                throw Self.anotherLife
            }
            guard claim.generations.keys.allSatisfy({ seen[$0]?.isOurs == true }) else { throw Self.replaced(in: claim.scope) }
            // Also workspaces whose claim was committed without our getting the answer.
            let ours = seen.filter(\.value.isOurs).sorted { $0.key < $1.key }
            let scopes = PostgresValue.texts(ours.map(\.key))
            let rows = try connection.run(
                [
                    Self.patience,
                    PostgresStatement("SELECT FROM owners WHERE scope = ANY ($1::text[]) ORDER BY scope FOR UPDATE", scopes),
                    PostgresStatement(
                        """
                        UPDATE owners SET generation = owners.generation + 1 WHERE scope = ANY ($1::text[]) AND (
                            SELECT count(*) FROM owners AS o
                            JOIN unnest($1::text[], $2::bigint[]) AS s (scope, generation) USING (scope, generation)
                            WHERE o.holder = $3::text) = cardinality($1::text[])
                        RETURNING scope, owners.generation, epoch, \(Self.born)
                        """, scopes, .bigints(ours.map(\.value.generation)), .text(holder)),
                ], within: PostgresDatabase.askingMax)[2]
            try refuseWarning(connection)
            // Another process's claim, or an earlier one of ours that was under way: the next attempt shows which.
            guard let first = rows.first else {
                throw LogError(.unreachable(isPassing: true), "The log was claimed at the same time.")
            }
            guard first.text(3) == claim.bornOn,
                let anew = try Claim(claim.scope, Claim.rows(rows), bornOn: claim.bornOn, renewed: claim.renewed)
            else { throw Self.anotherLife }
            return anew
        } catch {
            throw LogError(error)
        }
    }

    /// Makes the next owner begin a new epoch for each of these rows, because data that was shown is missing here. Owners with the
    /// generations `seen`, by scope, can no longer commit.
    func endEpoch(over seen: [String: Int64], on connection: PostgresConnection) throws {
        let seen = seen.sorted { $0.key < $1.key }
        let scopes = PostgresValue.texts(seen.map(\.key))
        _ = try connection.run(
            [
                Self.patience,
                PostgresStatement("SELECT FROM owners WHERE scope = ANY ($1::text[]) ORDER BY scope FOR UPDATE", scopes),
                PostgresStatement(
                    """
                    UPDATE owners SET generation = owners.generation + 1, epoch = NULL
                    FROM unnest($1::text[], $2::bigint[]) AS seen (scope, generation)
                    WHERE owners.scope = seen.scope AND owners.generation = seen.generation
                    """, scopes, .bigints(seen.map(\.value))),
            ], within: PostgresDatabase.askingMax)
    }

    static func replaced(in scope: LogScope) -> LogError {
        guard let workspace = scope.workspace else { return LogError(.fenced, "Another relay has taken over the database.") }
        return LogError(.fenced, "Another node has taken over the workspace \(workspace).")
    }

    static let anotherLife = LogError(
        .fenced,
        "The database is another one, was promoted, or is as it was before: something that was shown may be missing there.")

    /// Throws if the database has warned: a claim that may be missing on a standby does not count.
    func refuseWarning(_ connection: PostgresConnection) throws(LogError) {
        guard let warning = connection.warning else { return }
        throw LogError(.unreachable(isPassing: true), "The database warns of a claim: \(warning)")
    }
}
