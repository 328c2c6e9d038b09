internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol

/// One transaction on a database that no relay uses: all of it or nothing, and nobody else writes meanwhile.
final class SoleUse {
    /// A step of it: a batch of rows, a count of all.
    static let stepMax = Duration.seconds(600)

    let connection: PostgresConnection
    private let ownership = Ownership()

    /// Begins it. Throws where a relay or a command is connected, or the tables are not there and cannot be made; nothing is changed then.
    init(_ address: String) throws(LogError) {
        do {
            connection = try PostgresConnection(to: address, as: "\(ownership.name)/alone")
            try PostgresDatabase.prepare(connection, within: PostgresDatabase.askingMax)
            try Migration.bringUpToDate(connection)
            // What it sees is as of the first question after the locks.
            for statement in [
                "BEGIN ISOLATION LEVEL REPEATABLE READ", "SET LOCAL idle_in_transaction_session_timeout = 0",
                "SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = '3s'",
            ] {
                _ = try connection.run(.once(statement), within: PostgresDatabase.askingMax)
            }
            // Commands wait for the one, a relay that starts for the other.
            _ = try connection.run(PostgresDatabase.oneWriter, within: PostgresDatabase.askingMax)
            _ = try connection.run(.once("SELECT FROM owners WHERE scope = '' FOR UPDATE"), within: PostgresDatabase.askingMax)
            try refuseOthers()
        } catch {
            throw LogError(error)
        }
    }

    private func refuseOthers() throws {
        // A relay that has only just begun may have no connection yet, but has its lease.
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

    /// The epoch of the log; nil where the next relay begins another one anyway.
    func epoch() throws -> Epoch? {
        let rows = try connection.run(
            .once("SELECT epoch FROM owners WHERE scope = '' AND born_on = \(Ownership.born)"),
            within: PostgresDatabase.askingMax)
        return try rows.first?.optionalText(0).map { try Stored.identifier($0) }
    }

    /// Ends it, so that the next relay goes on in `epoch`, nil for another one. A relay that was about to take the log has to look again.
    func commit(epoch: Epoch?) throws(LogError) {
        do {
            _ = try connection.run(
                .once(
                    """
                    UPDATE owners SET generation = generation + 1, holder = NULL, epoch = $1::text, born_on = \(Ownership.born)
                    WHERE scope = ''
                    """, .text(epoch?.rawValue)), within: PostgresDatabase.askingMax)
        } catch {
            throw LogError(error)
        }
        do throws(PostgresError) { _ = try connection.run(.once("COMMIT"), within: Self.stepMax) } catch {
            throw LogError(ofCommit: error)
        }
        if let warning = connection.warning { throw LogError(warning: warning) }
    }
}
