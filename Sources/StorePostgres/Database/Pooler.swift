internal import HeliographPostgreSQL
internal import RelayCore

/// A connection pooler between this process and the database, such as PgBouncer.
enum Pooler {
    /// Number of checks: a pooler that is busy with others may give a session to them in between.
    private static let looksMax = 5

    /// Throws if connections share sessions of the database: settings, plans and locks of one would apply to another. A pooler that
    /// gives each connection its own session is accepted.
    static func refuseSharing(_ connection: PostgresConnection, at address: String) throws {
        guard try session(of: connection) != connection.backendPID else { return }
        let other = try PostgresConnection(to: address, as: "heliograph/pooler")
        for _ in 0..<looksMax {
            let own = try session(of: connection)
            guard try session(of: other) == own else { continue }
            throw LogError(
                .unreachable(isPassing: false),
                """
                A pooler in front of the database gives one session to several connections (transaction or statement pooling), which a \
                relay cannot work with: name the database itself, or a pool in session mode.
                """)
        }
    }

    private static func session(of connection: PostgresConnection) throws -> Int32 {
        let rows = try connection.run(.once("SELECT pg_backend_pid()"), within: PostgresDatabase.askingMax)
        return Int32(rows[0].integer(0))
    }
}
