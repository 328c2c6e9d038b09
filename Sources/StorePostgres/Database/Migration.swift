internal import Foundation
internal import HeliographPostgreSQL
internal import RelayCore

/// Brings a database up to date, one program at a time.
enum Migration {
    /// A version that touches every row of a large table.
    static let runningMax = Duration.seconds(600)

    /// A reader of a table for minutes, such as `pg_dump`, is not waited for with a lock in hand: all others would wait behind it, the
    /// owner that renews its lease, too. The change is given up, and tried again.
    private static let patience = "SET LOCAL lock_timeout = '2s'"
    private static let attemptSeconds = 1.0
    /// Half a minute in all; the next start tries again.
    private static let attemptsMax = 10

    /// Versions of PostgreSQL that the store was written for: pipelines need none, `pg_terminate_backend` with a deadline needs 14.
    static let serverVersionMin = 14_00_00

    static func bringUpToDate(_ connection: PostgresConnection) throws {
        try check(connection)
        // Nearly always it is.
        if try version(of: connection) == Schema.newest { return }
        for attempt in 1...attemptsMax {
            do { return try migrate(connection) } catch let error as PostgresError
                where error.state == SQLState.lockNotAvailable && attempt < attemptsMax
            {
                Thread.sleep(forTimeInterval: attemptSeconds)
            }
        }
    }

    private static func migrate(_ connection: PostgresConnection) throws {
        try run(["BEGIN"], on: connection)
        do {
            _ = try connection.run(
                .once("SELECT pg_advisory_xact_lock($1::bigint)", .bigint(Schema.migrationLock)), within: runningMax)
            try run([patience, Schema.bookkeeping], on: connection)
            let known = try version(of: connection) ?? 0
            for version in known..<max(known, Schema.newest) {
                try run(Schema.versions[version], on: connection)
                _ = try connection.run(
                    .once("INSERT INTO versions (version) VALUES ($1::int)", .int(Int32(version + 1))), within: runningMax)
            }
            try run(["COMMIT"], on: connection)
        } catch {
            // What counts is why, which is thrown.
            try? run(["ROLLBACK"], on: connection)
            throw error
        }
    }

    static func check(_ connection: PostgresConnection) throws(LogError) {
        func refuse(_ what: String) -> LogError {
            LogError(.unreachable(isPassing: false), "The database cannot be used: \(what).")
        }
        guard connection.serverVersion >= serverVersionMin else {
            throw refuse("it is PostgreSQL \(connection.serverVersion / 10_000), and 14 or newer is needed")
        }
        guard connection.setting("server_encoding") == "UTF8" else { throw refuse("its encoding is not UTF8") }
    }

    /// Nil where nothing was ever made. Throws where somebody newer was here, or somebody else.
    private static func version(of connection: PostgresConnection) throws -> Int? {
        let (tables, isOurs) =
            try connection.run(
                .once(
                    """
                    SELECT count(*), count(*) FILTER (WHERE relname = 'versions') FROM pg_class
                    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'
                    """), within: runningMax
            ).first.map { ($0.integer(0), $0.integer(1) > 0) } ?? (0, false)
        guard isOurs else {
            guard tables == 0 else {
                throw LogError(
                    .unreachable(isPassing: false),
                    "The database has tables that are none of Heliograph's: give it a database, or a schema, of its own.")
            }
            return nil
        }
        let rows = try connection.run(.once("SELECT coalesce(max(version), 0) FROM versions"), within: runningMax)
        let version = Int(rows[0].integer(0))
        guard version <= Schema.newest else {
            throw LogError(
                .unreachable(isPassing: false),
                "The database was written by a newer version of Heliograph. Run that version, or restore a backup.")
        }
        return version
    }

    private static func run(_ statements: [String], on connection: PostgresConnection) throws {
        _ = try connection.run(statements.map { .once($0) }, within: runningMax)
    }
}
