internal import Foundation
internal import GRDB
package import RelayCore
package import RelayProtocol

extension SQLiteStore: CredentialStore {
    /// Makes the first workspace where there is none, and hands back the oldest. Calling it again changes nothing.
    package func bootstrap(workspaceName: String) throws(StoreError) -> Named<WorkspaceTag> {
        try write { db in
            try db.execute(
                sql: """
                    INSERT INTO workspaces (workspace, name) SELECT 'default', ?
                    WHERE NOT EXISTS (SELECT * FROM workspaces)
                    """, arguments: [workspaceName])
            guard let first = try self.workspaces(in: db).first else { preconditionFailure("a workspace was just made") }
            return first
        }
    }

    package func workspaces() throws(StoreError) -> [Named<WorkspaceTag>] { try read { try workspaces(in: $0) } }

    package func addWorkspace(_ workspace: Named<WorkspaceTag>) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT INTO workspaces (workspace, name) VALUES (?, ?)",
                arguments: [workspace.id.rawValue, workspace.name])
        }
    }

    package func tokens() throws(StoreError) -> [Token] {
        try read { try tokens("WHERE revoked_at IS NULL ORDER BY number", in: $0) }
    }

    package func allTokens() throws(StoreError) -> [Token] {
        try read { try tokens("ORDER BY created_at DESC, number DESC", in: $0) }
    }

    package func addToken(_ token: Token) throws(StoreError) {
        try write { db in
            try self.insert(token, in: db)
            try self.audit(AuditRecord(token, AuditWord.tokenCreated, at: token.createdAt), in: db)
        }
    }

    package func revokeToken(id: String, at: Int64) throws(StoreError) -> Bool {
        try write { db in
            try db.execute(
                sql: "UPDATE tokens SET revoked_at = ? WHERE token = ? AND revoked_at IS NULL", arguments: [at, id])
            guard db.changesCount == 1 else { return false }
            for token in try self.tokens("WHERE token = ?", [id], in: db) {
                try self.audit(AuditRecord(token, AuditWord.tokenRevoked, at: at), in: db)
            }
            return true
        }
    }

    package func addPairingCode(_ code: PairingCode) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT INTO pairing_codes (digest, role, workspace, expires_at) VALUES (?, ?, ?, ?)",
                arguments: [Data(code.digest), code.role.rawValue, code.workspace.rawValue, code.expiresAt])
        }
    }

    package func redeemPairingCode(
        digest: [UInt8], now: Int64, make: (PairingCode) -> Token
    ) throws(StoreError) -> Token? {
        try write { db in
            // A write transaction from its first statement on: another caller, in whichever process, waits or comes too late.
            let row = try Row.fetchOne(
                db,
                sql: """
                    UPDATE pairing_codes SET used_at = ? WHERE digest = ? AND used_at IS NULL AND expires_at > ?
                    RETURNING role, workspace, expires_at
                    """, arguments: [now, Data(digest), now])
            guard let row else { return nil }
            let code = PairingCode(
                digest: digest, role: try self.word(row[0]), workspace: try self.identifier(row[1]), expiresAt: row[2])
            let token = make(code)
            try self.insert(token, in: db)
            try self.audit(AuditRecord(token, AuditWord.pairingRedeemed, at: now), in: db)
            return token
        }
    }

    package func removePairingCodes(expiredBefore now: Int64) throws(StoreError) {
        try write { try $0.execute(sql: "DELETE FROM pairing_codes WHERE expires_at < ?", arguments: [now]) }
    }

    private func workspaces(in db: Database) throws -> [Named<WorkspaceTag>] {
        try Row.fetchAll(db, sql: "SELECT workspace, name FROM workspaces ORDER BY number").map {
            Named(id: try identifier($0[0]), name: $0[1])
        }
    }

    private func tokens(
        _ selection: StaticString, _ arguments: StatementArguments = [], in db: Database
    ) throws -> [Token] {
        let columns = "token, digest, role, subject, name, workspace, created_at, revoked_at"
        return try Row.fetchAll(db, sql: "SELECT \(columns) FROM tokens \(selection)", arguments: arguments).map {
            Token(
                id: $0[0], digest: $0[1], role: try word($0[2]), subject: $0[3], name: $0[4],
                workspace: try identifier($0[5]), createdAt: $0[6], revokedAt: $0[7])
        }
    }

    private func insert(_ token: Token, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO tokens (token, digest, role, subject, name, workspace, created_at, revoked_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                token.id, Data(token.digest), token.role.rawValue, token.subject, token.name, token.workspace.rawValue,
                token.createdAt, token.revokedAt,
            ])
    }
}
