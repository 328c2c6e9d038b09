internal import Foundation
internal import GRDB
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Workspaces, tokens and pairing codes; each change of a token is recorded in the audit log.
package final class SQLiteCredentials: CredentialStore {
    let database: SQLiteDatabase
    let audit: AuditTable
    private let waiting: WaitingRevocations

    init(_ database: SQLiteDatabase, waiting: WaitingRevocations) {
        self.database = database
        self.waiting = waiting
        audit = AuditTable(path: database.path)
    }

    package func bootstrap(workspaceName: String) throws(LogError) -> Named<WorkspaceTag> {
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO workspaces (workspace, name) SELECT 'default', ?
                    WHERE NOT EXISTS (SELECT * FROM workspaces)
                    """, arguments: [workspaceName])
            guard let first = try self.workspaces(in: db).first else { preconditionFailure("a workspace was just made") }
            return first
        }
    }

    package func workspaces() throws(LogError) -> [Named<WorkspaceTag>] { try database.read { try workspaces(in: $0) } }

    package func tokens() throws(LogError) -> [Token] {
        let waiting = try waiting.all()
        guard !waiting.isEmpty else {
            return try database.read { try tokens("WHERE revoked_at IS NULL ORDER BY number", in: $0) }
        }
        let all = try database.read { try tokens("ORDER BY number", in: $0) }
        return waiting.applied(to: all).filter { $0.revokedAt == nil }
    }

    package func allTokens() throws(LogError) -> [Token] {
        let waiting = try waiting.all()
        let all = try database.read { try tokens("ORDER BY created_at DESC, number DESC", in: $0) }
        return waiting.applied(to: all)
    }

    package func tokens(of workspace: WorkspaceID) throws(LogError) -> [Token] {
        let waiting = try waiting.all()
        let all = try database.read {
            try tokens("WHERE workspace = ? ORDER BY created_at DESC, number DESC", [workspace.rawValue], in: $0)
        }
        return waiting.applied(to: all)
    }

    /// As they were made.
    private func tokens(of workspace: WorkspaceID, in db: Database) throws -> [Token] {
        try tokens("WHERE workspace = ? ORDER BY number", [workspace.rawValue], in: db)
    }

    package func token(_ id: String) throws(LogError) -> Token? {
        guard let token = try database.read({ try token(id, in: $0) }) else { return nil }
        // Another revocation may end it, as it ends what a token let in.
        return try waiting.all().isEmpty ? token : tokens(of: token.workspace).first { $0.id == id }
    }

    private func token(_ id: String, in db: Database) throws -> Token? {
        try tokens("WHERE token = ?", [id], in: db).first
    }

    package func addToken(_ token: Token) throws(LogError) {
        try write { db in
            try self.insert(token, in: db)
            try self.audit.add(AuditRecord(token, AuditWord.tokenCreated, by: token.parent, at: token.createdAt), in: db)
        }
    }

    /// Revokes a token. If the data file has no space, the revocation is stored in a separate file until it has, and is in force
    /// meanwhile.
    package func revoke(_ revocation: TokenRevocation) throws(LogError) -> [Token] {
        // What changes nothing takes no turn among the writers, unless something waits to be written.
        if try database.read({ try ended(by: revocation, in: $0) }).isEmpty, try waiting.all().isEmpty { return [] }
        do throws(LogError) { return try write { try self.revoke(revocation, in: $0) } } catch {
            guard error.code == .full else { throw error }
            let earlier = try waiting.all()
            guard let named = try database.read({ try token(revocation.id, in: $0) }) else { return [] }
            let standing = try database.read { try tokens(of: named.workspace, in: $0) }
            let ended = revocation.ended(of: earlier.applied(to: standing))
            guard !ended.isEmpty else { return [] }
            guard try waiting.add(revocation) else { throw error }
            return ended
        }
    }

    private func revoke(_ revocation: TokenRevocation, in db: Database) throws -> [Token] {
        let ended = try ended(by: revocation, in: db)
        for token in ended {
            try db.execute(sql: "UPDATE tokens SET revoked_at = ? WHERE token = ?", arguments: [revocation.at, token.id])
            try audit.add(AuditRecord(token, AuditWord.tokenRevoked, by: revocation.by, at: revocation.at), in: db)
        }
        return ended
    }

    private func ended(by revocation: TokenRevocation, in db: Database) throws -> [Token] {
        guard let named = try token(revocation.id, in: db) else { return [] }
        return revocation.ended(of: revocation.keepsChildren ? [named] : try tokens(of: named.workspace, in: db))
    }

    package func rename(_ renaming: TokenRenaming) throws(LogError) -> Token? {
        try write { db in
            guard var token = try self.token(renaming.id, in: db), renaming.concerns(token) else { return nil }
            // Renaming to the same name is not recorded again.
            guard token.name != renaming.name else { return token }
            token.name = renaming.name
            try db.execute(sql: "UPDATE tokens SET name = ? WHERE token = ?", arguments: [token.name, token.id])
            try self.audit.add(AuditRecord(token, AuditWord.tokenRenamed, by: renaming.by, at: renaming.at), in: db)
            return token
        }
    }

    package func noteUses(_ uses: [String: TokenUse]) throws(LogError) {
        try write { db in
            let update = try db.cachedStatement(
                sql: "UPDATE tokens SET used_at = ?, used_from = ? WHERE token = ? AND coalesce(used_at, 0) <= ?")
            for (id, use) in uses { try update.execute(arguments: [use.at, use.from, id, use.at]) }
        }
    }

    package func addPairingCode(_ code: PairingCode) throws(LogError) {
        try write { db in
            try self.checkWorkspace(code.workspace, in: db)
            try db.execute(
                sql: "INSERT INTO pairing_codes (digest, role, workspace, expires_at, parent) VALUES (?, ?, ?, ?, ?)",
                arguments: [Data(code.digest), code.role.rawValue, code.workspace.rawValue, code.expiresAt, code.parent])
        }
    }

    package func openPairingCodes(at now: Int64) throws(LogError) -> [PairingCode] {
        try database.read { db in
            let sql = "SELECT \(Self.codeColumns) FROM pairing_codes WHERE \(Self.isOpen)"
            return try Row.fetchAll(db, sql: sql, arguments: ["now": now]).map(self.code)
        }
    }

    private static let codeColumns = "digest, role, workspace, expires_at, parent"

    private func code(_ row: Row) throws -> PairingCode {
        PairingCode(
            digest: Array(row[0] as Data), role: try database.word(row[1]), workspace: try database.identifier(row[2]),
            expiresAt: row[3], parent: row[4])
    }

    /// The conditions under which a code can be redeemed.
    private static let isOpen = """
        used_at IS NULL AND expires_at > :now AND (parent IS NULL OR parent IN (SELECT token FROM tokens WHERE revoked_at IS NULL))
        """

    package func redeemPairingCode(
        digest: [UInt8], now: Int64, make: (PairingCode) -> Token
    ) throws(LogError) -> Token? {
        try write { db in
            // A write transaction from its first statement on, so other callers, in any process, wait or come too late.
            let row = try Row.fetchOne(
                db,
                sql: """
                    UPDATE pairing_codes SET used_at = :now WHERE digest = :digest AND \(Self.isOpen)
                    RETURNING \(Self.codeColumns)
                    """, arguments: ["now": now, "digest": Data(digest)])
            guard let row else { return nil }
            let code = try self.code(row)
            if let parent = code.parent {
                guard TokenLineage(try self.tokens(of: code.workspace, in: db)).bound(reachedBy: parent) == nil else {
                    return nil
                }
            }
            let token = make(code)
            try self.insert(token, in: db)
            try self.audit.add(AuditRecord(token, AuditWord.pairingRedeemed, by: token.parent, at: now), in: db)
            return token
        }
    }

    package func removePairingCodes(expiredBefore now: Int64) throws(LogError) {
        try database.write { try $0.execute(sql: "DELETE FROM pairing_codes WHERE expires_at < ?", arguments: [now]) }
    }

    // MARK: - What waits for room

    var waitingCount: Int { get throws(LogError) { try waiting.all().count } }

    /// Moves waiting revocations into the data file, if there are any and there is space.
    func takeWaiting() throws(LogError) {
        if try !waiting.all().isEmpty { try write { _ in } }
    }

    /// Tokens that a waiting revocation ends, and that the data file still has as valid.
    func tokensEndedByWaiting() throws(LogError) -> [Token] {
        let waiting = try waiting.all()
        guard !waiting.isEmpty else { return [] }
        let standing = try database.read { try tokens("WHERE revoked_at IS NULL ORDER BY number", in: $0) }
        let names = Set(standing.map(\.id))
        return try allTokens().filter { $0.revokedAt != nil && names.contains($0.id) }
    }

    /// Runs a change of tokens; all of them use this. Waiting revocations are applied first, in the same transaction. Those read
    /// before it are still waiting then, or already in the data file.
    func write<Value>(_ body: (Database) throws -> Value) throws(LogError) -> Value {
        let earlier = try waiting.all()
        let value = try database.write { db in
            for revocation in earlier { _ = try self.revoke(revocation, in: db) }
            return try body(db)
        }
        waiting.remove(earlier)
        return value
    }

    func workspaces(in db: Database) throws -> [Named<WorkspaceTag>] {
        try Row.fetchAll(db, sql: "SELECT workspace, name FROM workspaces WHERE removed_at IS NULL ORDER BY number").map {
            Named(id: try database.identifier($0[0]), name: $0[1])
        }
    }

    /// Throws if the workspace does not exist. Not left to a foreign key: a removed workspace keeps its row.
    private func checkWorkspace(_ workspace: WorkspaceID, in db: Database) throws {
        guard try workspaces(in: db).contains(where: { $0.id == workspace }) else {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
    }

    func tokens(
        _ selection: StaticString, _ arguments: StatementArguments = [], in db: Database
    ) throws -> [Token] {
        let columns =
            "token, digest, role, kind, subject, name, workspace, parent, page_key, created_at, revoked_at, used_at, used_from"
        return try Row.fetchAll(db, sql: "SELECT \(columns) FROM tokens \(selection)", arguments: arguments).map {
            Token(
                // A kind of a damaged file or a newer relay is treated as one that cannot pair others.
                id: $0[0], digest: $0[1], role: try database.word($0[2]), kind: Token.Kind(rawValue: $0[3]) ?? .unsure,
                subject: $0[4],
                name: $0[5], workspace: try database.identifier($0[6]), parent: $0[7],
                pageKeyDigest: ($0[8] as Data?).map { Array($0) }, createdAt: $0[9],
                revokedAt: $0[10], lastUse: TokenUse(recordedAt: $0[11], from: $0[12]))
        }
    }

    private func insert(_ token: Token, in db: Database) throws {
        try checkWorkspace(token.workspace, in: db)
        try db.execute(
            sql: """
                INSERT INTO tokens
                (token, digest, role, kind, subject, name, workspace, parent, page_key, created_at, revoked_at, used_at, used_from)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                token.id, Data(token.digest), token.role.rawValue, token.kind.rawValue, token.subject, token.name,
                token.workspace.rawValue, token.parent, token.pageKeyDigest.map { Data($0) }, token.createdAt,
                token.revokedAt, token.lastUse?.at, token.lastUse?.from,
            ])
    }
}
