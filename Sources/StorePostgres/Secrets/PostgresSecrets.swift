internal import HeliographPostgreSQL
package import RelayCore

/// Secrets as rows. Anyone who can read the database can read them.
package final class PostgresSecrets: SecretStore {
    private let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    package func secret(_ name: String) throws(LogError) -> [UInt8]? {
        try database.ask("SELECT value FROM secrets WHERE name = $1::text", .text(name)).first?.bytes(0)
    }

    package func keep(_ secret: [UInt8], as name: String) throws(LogError) -> [UInt8] {
        try database.write { connection in
            _ = try connection.run(
                PostgresStatement(
                    "INSERT INTO secrets (name, value) VALUES ($1::text, $2::bytea) ON CONFLICT DO NOTHING", .text(name),
                    .bytea(secret)), within: PostgresDatabase.askingMax)
            let rows = try connection.run(
                PostgresStatement("SELECT value FROM secrets WHERE name = $1::text", .text(name)),
                within: PostgresDatabase.askingMax)
            guard let kept = rows.first else { preconditionFailure("a secret was just kept") }
            return kept.bytes(0)
        }
    }
}
