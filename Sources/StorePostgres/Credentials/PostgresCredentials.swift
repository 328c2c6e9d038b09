internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Workspaces, tokens and pairing codes; each change of a token is recorded in the audit log.
package final class PostgresCredentials: CredentialStore {
    let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    package func bootstrap(workspaceName: String) throws(LogError) -> Named<WorkspaceTag> {
        // Nearly always one exists, and a relay that only reads must not wait for the changes of others.
        if let first = try workspaces().first { return first }
        return try database.write { connection in
            _ = try Self.run(
                """
                INSERT INTO workspaces (workspace, name) SELECT 'default', $1::text WHERE NOT EXISTS (SELECT FROM workspaces)
                """, .text(workspaceName), on: connection)
            guard let first = try Self.workspaces(on: connection).first else {
                preconditionFailure("a workspace was just made")
            }
            return first
        }
    }

    package func workspaces() throws(LogError) -> [Named<WorkspaceTag>] {
        try database.read { try Self.workspaces(on: $0) }
    }

    package func tokens() throws(LogError) -> [Token] {
        try database.read { try Self.tokens("WHERE revoked_at IS NULL ORDER BY number", on: $0) }
    }

    package func allTokens() throws(LogError) -> [Token] {
        try database.read { try Self.tokens("ORDER BY created_at DESC, number DESC", on: $0) }
    }

    package func tokens(of workspace: WorkspaceID) throws(LogError) -> [Token] {
        try database.read {
            try Self.tokens(
                "WHERE workspace = $1::text ORDER BY created_at DESC, number DESC", .text(workspace.rawValue), on: $0)
        }
    }

    package func token(_ id: String) throws(LogError) -> Token? { try database.read { try Self.token(id, on: $0) } }

    package func addToken(_ token: Token) throws(LogError) {
        try database.write { connection in
            try Self.insert(token, on: connection)
            try AuditTable.add(
                AuditRecord(token, AuditWord.tokenCreated, by: token.parent, at: token.createdAt), on: connection)
        }
    }

    package func revoke(_ revocation: TokenRevocation) throws(LogError) -> [Token] {
        // What changes nothing takes no turn among the writers.
        guard try !database.read({ try Self.ended(by: revocation, on: $0) }).isEmpty else { return [] }
        return try database.write { connection in
            let ended = try Self.ended(by: revocation, on: connection)
            for token in ended {
                _ = try Self.run(
                    "UPDATE tokens SET revoked_at = $1::bigint WHERE token = $2::text", .bigint(revocation.at), .text(token.id),
                    on: connection)
                try AuditTable.add(
                    AuditRecord(token, AuditWord.tokenRevoked, by: revocation.by, at: revocation.at), on: connection)
            }
            return ended
        }
    }

    package func rename(_ renaming: TokenRenaming) throws(LogError) -> Token? {
        try database.write { connection in
            guard var token = try Self.token(renaming.id, on: connection), renaming.concerns(token) else { return nil }
            // Renaming to the same name is not recorded again.
            guard token.name != renaming.name else { return token }
            token.name = renaming.name
            _ = try Self.run(
                "UPDATE tokens SET name = $1::text WHERE token = $2::text", .text(token.name), .text(token.id), on: connection)
            try AuditTable.add(AuditRecord(token, AuditWord.tokenRenamed, by: renaming.by, at: renaming.at), on: connection)
            return token
        }
    }

    package func noteUses(_ uses: [String: TokenUse]) throws(LogError) {
        let uses = Array(uses)
        try database.write { connection in
            // Nothing depends on the last use, so this commit waits for no standby, and delays no commit that does.
            _ = try Self.run("SELECT set_config('synchronous_commit', 'local', true)", on: connection)
            _ = try Self.run(
                """
                UPDATE tokens SET used_at = n.at, used_from = nullif(n.address, '')
                FROM unnest($1::text[], $2::bigint[], $3::text[]) AS n (token, at, address)
                WHERE tokens.token = n.token AND coalesce(used_at, 0) <= n.at
                """, .texts(uses.map(\.key)), .bigints(uses.map(\.value.at)), .texts(uses.map { $0.value.from ?? "" }),
                on: connection)
        }
    }

    package func addPairingCode(_ code: PairingCode) throws(LogError) {
        try database.write { connection in
            try Self.checkWorkspace(code.workspace, on: connection)
            _ = try Self.run(
                """
                INSERT INTO pairing_codes (digest, role, workspace, expires_at, parent)
                VALUES ($1::bytea, $2::text, $3::text, $4::bigint, $5::text)
                """, .bytea(code.digest), .text(code.role.rawValue), .text(code.workspace.rawValue), .bigint(code.expiresAt),
                .text(code.parent), on: connection)
        }
    }

    package func openPairingCodes(at now: Int64) throws(LogError) -> [PairingCode] {
        let sql = "SELECT \(Self.codeColumns) FROM pairing_codes WHERE \(Self.isOpen)"
        return try database.read { try Self.run(sql, .bigint(now), on: $0).map(Self.code) }
    }

    private static let codeColumns = "digest, role, workspace, expires_at, parent"

    private static func code(_ row: PostgresRows.Row) throws -> PairingCode {
        PairingCode(
            digest: row.bytes(0), role: try Stored.word(row.text(1)), workspace: try Stored.identifier(row.text(2)),
            expiresAt: row.integer(3), parent: row.optionalText(4))
    }

    /// The conditions under which a code can be redeemed; `$1` is the time.
    private static let isOpen = """
        used_at IS NULL AND expires_at > $1::bigint
        AND (parent IS NULL OR parent IN (SELECT token FROM tokens WHERE revoked_at IS NULL))
        """

    package func redeemPairingCode(
        digest: [UInt8], now: Int64, make: (PairingCode) -> Token
    ) throws(LogError) -> Token? {
        try database.write { connection in
            // Other callers, in any process, wait for this row or come too late.
            let row = try Self.run(
                """
                UPDATE pairing_codes SET used_at = $1::bigint WHERE digest = $2::bytea AND \(Self.isOpen)
                RETURNING \(Self.codeColumns)
                """, .bigint(now), .bytea(digest), on: connection
            ).first
            guard let row else { return nil }
            let code = try Self.code(row)
            if let parent = code.parent {
                let lineage = TokenLineage(try Self.tokens(of: code.workspace, on: connection))
                guard lineage.bound(reachedBy: parent) == nil else { return nil }
            }
            let token = make(code)
            try Self.insert(token, on: connection)
            try AuditTable.add(AuditRecord(token, AuditWord.pairingRedeemed, by: token.parent, at: now), on: connection)
            return token
        }
    }

    package func removePairingCodes(expiredBefore now: Int64) throws(LogError) {
        try database.write { connection in
            _ = try Self.run("DELETE FROM pairing_codes WHERE expires_at < $1::bigint", .bigint(now), on: connection)
        }
    }

    // MARK: - Rows

    static func run(
        _ sql: String, _ values: PostgresValue..., on connection: PostgresConnection
    ) throws -> PostgresRows {
        try connection.run(PostgresStatement(sql, values), within: PostgresDatabase.askingMax)
    }

    static func workspaces(on connection: PostgresConnection) throws -> [Named<WorkspaceTag>] {
        try run("SELECT workspace, name FROM workspaces WHERE removed_at IS NULL ORDER BY number", on: connection).map {
            Named(id: try Stored.identifier($0.text(0)), name: $0.text(1))
        }
    }

    /// Throws if the workspace does not exist. Not left to a foreign key: a removed workspace keeps its row.
    private static func checkWorkspace(_ workspace: WorkspaceID, on connection: PostgresConnection) throws {
        guard try workspaces(on: connection).contains(where: { $0.id == workspace }) else {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
    }

    /// As they were made.
    static func tokens(of workspace: WorkspaceID, on connection: PostgresConnection) throws -> [Token] {
        try tokens("WHERE workspace = $1::text ORDER BY number", .text(workspace.rawValue), on: connection)
    }

    private static func token(_ id: String, on connection: PostgresConnection) throws -> Token? {
        try tokens("WHERE token = $1::text", .text(id), on: connection).first
    }

    private static func ended(by revocation: TokenRevocation, on connection: PostgresConnection) throws -> [Token] {
        guard let named = try token(revocation.id, on: connection) else { return [] }
        return revocation.ended(of: revocation.keepsChildren ? [named] : try tokens(of: named.workspace, on: connection))
    }

    private static func tokens(
        _ selection: StaticString, _ values: PostgresValue..., on connection: PostgresConnection
    ) throws -> [Token] {
        let columns =
            "token, digest, role, kind, subject, name, workspace, parent, page_key, created_at, revoked_at, used_at, used_from"
        let statement = PostgresStatement("SELECT \(columns) FROM tokens \(selection)", values)
        return try connection.run(statement, within: PostgresDatabase.askingMax).map {
            Token(
                // A kind of a newer version is treated as one that cannot pair others.
                id: $0.text(0), digest: $0.bytes(1), role: try Stored.word($0.text(2)),
                kind: Token.Kind(rawValue: $0.text(3)) ?? .unsure, subject: $0.text(4), name: $0.text(5),
                workspace: try Stored.identifier($0.text(6)), parent: $0.optionalText(7), pageKeyDigest: $0.optionalBytes(8),
                createdAt: $0.integer(9), revokedAt: $0.optionalInteger(10),
                lastUse: TokenUse(recordedAt: $0.optionalInteger(11), from: $0.optionalText(12)))
        }
    }

    private static func insert(_ token: Token, on connection: PostgresConnection) throws {
        try checkWorkspace(token.workspace, on: connection)
        _ = try run(
            """
            INSERT INTO tokens
            (token, digest, role, kind, subject, name, workspace, parent, page_key, created_at, revoked_at, used_at, used_from)
            VALUES ($1::text, $2::bytea, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::bytea, $10::bigint,
                $11::bigint, $12::bigint, $13::text)
            """, .text(token.id), .bytea(token.digest), .text(token.role.rawValue), .text(token.kind.rawValue),
            .text(token.subject), .text(token.name), .text(token.workspace.rawValue), .text(token.parent),
            .bytea(token.pageKeyDigest), .bigint(token.createdAt), .bigint(token.revokedAt), .bigint(token.lastUse?.at),
            .text(token.lastUse?.from), on: connection)
    }
}
