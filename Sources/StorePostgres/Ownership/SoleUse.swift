internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol

/// One transaction on a database that no relay uses: all of it or nothing, while nobody else writes.
final class SoleUse {
    /// Time limit of one step, such as a batch of rows, or a count of all rows.
    static let stepMax = Duration.seconds(600)

    let connection: PostgresConnection
    private let ownership = Ownership()

    /// Begins the transaction. Throws if a relay or a command is connected, or if the tables are missing and cannot be made; nothing is
    /// changed then.
    init(_ address: String) throws(LogError) {
        do {
            connection = try PostgresConnection(to: address, as: "\(ownership.name)/alone")
            try PostgresDatabase.prepare(connection, within: PostgresDatabase.askingMax)
            try Migration.bringUpToDate(connection, at: address, .spareForCommand)
            // The snapshot is taken by the first query after the locks.
            for statement in [
                "BEGIN ISOLATION LEVEL REPEATABLE READ", "SET LOCAL idle_in_transaction_session_timeout = 0",
                "SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = '3s'",
            ] {
                _ = try connection.run(.once(statement), within: PostgresDatabase.askingMax)
            }
            // The first lock excludes commands, the second a relay that starts.
            _ = try connection.run(PostgresDatabase.oneWriter, within: PostgresDatabase.askingMax)
            _ = try connection.run(.once("SELECT FROM owners ORDER BY scope FOR UPDATE"), within: PostgresDatabase.askingMax)
            try refuseOthers()
        } catch {
            throw LogError(error)
        }
    }

    private func refuseOthers() throws {
        // A relay that has just started may have no connection yet, but it has its lease.
        let others = try connection.run(
            .once(
                """
                SELECT (
                    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND starts_with(application_name, 'heliograph/') AND NOT starts_with(application_name, $1::text)
                ), (SELECT count(*) FROM owners JOIN nodes USING (holder) WHERE expires_at > clock_timestamp())
                """, .text(ownership.name)), within: PostgresDatabase.askingMax)
        guard others[0].integer(0) > 0 || others[0].integer(1) > 0 else { return }
        throw LogError(
            .unreachable(isPassing: true),
            """
            The database is in use by a relay or a command, or its relay was killed less than \(Ownership.leaseSeconds) s ago: stop every \
            relay on it, and try again. Nothing was changed.
            """)
    }

    /// The epoch of the log. Nil if the next relay begins another one anyway, or if a workspace has one that is not derived from
    /// it.
    func epoch() throws -> Epoch? {
        let rows = try connection.run(
            .once(
                """
                SELECT scope, epoch, generation = 0, coalesce(born_on = \(Ownership.born), false) FROM owners
                LEFT JOIN workspaces ON workspace = scope WHERE scope <> '' ORDER BY number NULLS FIRST
                """), within: PostgresDatabase.askingMax)
        guard let whole = rows.first, whole.bool(3), let text = whole.optionalText(1) else { return nil }
        let epoch: Epoch = try Stored.identifier(text)
        guard let epochs = try epochs(ofLog: epoch) else { return epoch }
        for row in rows.dropFirst() {
            // A workspace that was never claimed has no commits, so its epoch does not matter.
            guard let its = row.optionalText(1) else { if row.bool(2) { continue } else { return nil } }
            guard row.bool(3), try epochs[Stored.identifier(row.text(0))].rawValue == its else { return nil }
        }
        return epoch
    }

    /// Nil if there is no workspace.
    private func epochs(ofLog epoch: Epoch) throws -> Epochs? { try workspaces().first.map { Epochs(ofLog: epoch, first: $0) } }

    private func workspaces() throws -> [WorkspaceID] {
        try connection.run(.once("SELECT workspace FROM workspaces ORDER BY number"), within: PostgresDatabase.askingMax)
            .map { try Stored.identifier($0.text(0)) }
    }

    /// Commits the transaction, so that the next relay continues `epoch`; nil: begins another one. A relay that was about to claim
    /// the log has to start again.
    func commit(epoch: Epoch?) throws(LogError) {
        do {
            var named: [(scope: String, epoch: String)] = []
            if let epoch, let epochs = try epochs(ofLog: epoch) {
                named = try workspaces().map { ($0.rawValue, epochs[$0].rawValue) }
            }
            if let epoch { named.append((Ownership.whole, epoch.rawValue)) }
            _ = try connection.run(
                .once(
                    """
                    UPDATE owners SET generation = generation + 1, holder = NULL, born_on = \(Ownership.born), epoch = (
                        SELECT n.epoch FROM unnest($1::text[], $2::text[]) AS n (scope, epoch) WHERE n.scope = owners.scope)
                    WHERE scope <> ''
                    """, .texts(named.map(\.scope)), .texts(named.map(\.epoch))), within: PostgresDatabase.askingMax)
        } catch {
            throw LogError(error)
        }
        do throws(PostgresError) { _ = try connection.run(.once("COMMIT"), within: Self.stepMax) } catch {
            throw LogError(ofCommit: error)
        }
        if let warning = connection.warning { throw LogError(warning: warning) }
    }
}
