internal import Foundation
internal import HeliographPostgreSQL
internal import RelayCore

/// Migrates a database to the newest schema; one process at a time.
enum Migration {
    /// Time limit of the migration: enough for a version that changes every row of a large table.
    static let runningMax = Duration.seconds(600)

    /// Wait for a table's lock. A long reader of a table, such as `pg_dump`, is not waited for: all others would queue behind this
    /// lock request, among them the owner that renews its lease. The migration is then rolled back, and tried again.
    private static let patience = "SET LOCAL lock_timeout = '2s'"
    private static let attemptSeconds = 1.0
    /// Number of attempts: half a minute in all; the next start tries again.
    private static let attemptsMax = 10

    /// Oldest supported version of PostgreSQL: pipelines need none, `pg_terminate_backend` with a deadline needs 14.
    static let serverVersionMin = 14_00_00

    /// Treatment of running relays whose version cannot work together with this one.
    enum OlderRelays: Sendable {
        /// The old relays are ended, and this relay continues.
        case replace
        /// The migration throws, and nothing is changed.
        case spare(because: String)

        /// For commands, which must not end the relays in service.
        static let spareForCommand = spare(
            because: """
                Relays of an older version serve from the database, and cannot beside this one. Run the command of their version, or \
                replace the relays first: the first new one takes over.
                """)
    }

    /// `address`: the one that the connection was made to.
    static func bringUpToDate(_ connection: PostgresConnection, at address: String, _ olderRelays: OlderRelays) throws {
        try check(connection)
        try Pooler.refuseSharing(connection, at: address)
        // Nearly always it is up to date.
        let found = try version(of: connection)
        if found == Schema.newest { return }
        // A schema named in the address is intended.
        if found == nil, !address.contains("search_path") { try refuseOtherSchema(connection) }
        for attempt in 1...attemptsMax {
            do { return try migrate(connection, olderRelays) } catch let error as PostgresError
                where error.state == SQLState.lockNotAvailable && attempt < attemptsMax
            {
                Thread.sleep(forTimeInterval: attemptSeconds)
            }
        }
    }

    private static func migrate(_ connection: PostgresConnection, _ olderRelays: OlderRelays) throws {
        try run(["BEGIN"], on: connection)
        do {
            _ = try connection.run(
                .once("SELECT pg_advisory_xact_lock($1::bigint)", .bigint(Schema.migrationLock)), within: runningMax)
            try run([patience, Schema.bookkeeping], on: connection)
            let known = try version(of: connection) ?? 0
            if known > 0, known < Schema.versionOfRows, case .spare(let reason) = olderRelays {
                try refuseRelays(on: connection, reason)
            }
            for version in known..<max(known, Schema.newest) {
                try run(Schema.versions[version], on: connection)
                _ = try connection.run(
                    .once("INSERT INTO versions (version) VALUES ($1::int)", .int(Int32(version + 1))), within: runningMax)
            }
            try run(["COMMIT"], on: connection)
        } catch {
            // Ignored if it fails: the first error is the one to throw.
            try? run(["ROLLBACK"], on: connection)
            throw error
        }
    }

    private static func refuseRelays(on connection: PostgresConnection, _ reason: String) throws {
        let held = try connection.run(
            .once("SELECT EXISTS (SELECT FROM owners JOIN nodes USING (holder) WHERE expires_at > clock_timestamp())"),
            within: runningMax)
        guard held[0].bool(0) else { return }
        throw LogError(.unreachable(isPassing: false), reason)
    }

    /// Throws if other schemas have the tables and this one has none: a search_path that was changed since the last start must not
    /// begin a new, empty relay.
    private static func refuseOtherSchema(_ connection: PostgresConnection) throws {
        let others = try connection.run(
            .once(
                """
                SELECT nspname::text, coalesce(current_schema()::text, '') FROM pg_class AS t JOIN pg_namespace AS n ON n.oid = relnamespace
                WHERE relkind = 'r' AND relname IN ('versions', 'owners', 'pairing_codes', 'damaged_states')
                AND nspname IS DISTINCT FROM current_schema() AND pg_has_role(relowner, 'USAGE')
                GROUP BY nspname HAVING count(*) = 4 ORDER BY nspname LIMIT 1
                """), within: runningMax)
        guard let other = others.first else { return }
        throw LogError(
            .unreachable(isPassing: false),
            """
            The schema \(other.text(0)) of the database has a relay's data, and the role's search_path leads to \
            \(other.text(1).isEmpty ? "no schema" : "the schema \(other.text(1))"), which has none. Nothing was made. Set search_path as it \
            was, or name the schema in the address: ?options=-csearch_path%3D\(other.text(0)).
            """)
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

    /// The version of the tables: 0 if none is recorded yet, nil if there are no tables. Throws if they are a newer version's, or not
    /// Heliograph's.
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
