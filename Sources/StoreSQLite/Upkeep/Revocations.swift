internal import Foundation
internal import GRDB
internal import Glibc
internal import RelayCore

/// Keeps revocations from after a backup in force when it is restored.
enum Revocations {
    /// Changes `draft`, a checked copy of a backup, before it replaces the data file `current`: revokes the tokens that are revoked
    /// in `current`, notes the workspaces that are erased there, and removes pairing codes, which may have been used since. Of
    /// `draft` only columns of version 1 are used: either file may be of an older version.
    static func carry(
        from current: String, to draft: String
    ) throws(SQLiteStoreError) -> (revoked: [String], returning: [ReturningToken]) {
        let known = revocations(in: current)
        let erased = Files.exists(current) ? (try? looking(at: current, Erasures.known)) ?? [] : []
        do {
            let queue = try DatabaseQueue(path: draft, configuration: Connections.configuration)
            let carried = try queue.write { db in
                var (revoked, returning): ([String], [ReturningToken]) = ([], [])
                let rows = try Row.fetchAll(
                    db, sql: "SELECT token, role, name, created_at FROM tokens WHERE revoked_at IS NULL ORDER BY number")
                for row in rows {
                    let id: String = row[0]
                    switch known[id] {
                    case .some(.some(let at)):
                        try db.execute(sql: "UPDATE tokens SET revoked_at = ? WHERE token = ?", arguments: [at, id])
                        revoked.append(id)
                    case .some(.none): break
                    case .none: returning.append(ReturningToken(id: id, role: row[1], name: row[2], createdAt: row[3]))
                    }
                }
                try db.execute(sql: "DELETE FROM pairing_codes")
                try Erasures.note(erased, in: db)
                return (revoked, returning)
            }
            try queue.close()
            return carried
        } catch {
            throw SQLiteStoreError(error, path: draft)
        }
    }

    /// The valid tokens in a data file, which is only read.
    static func tokensInForce(in path: String) throws(SQLiteStoreError) -> [ReturningToken] {
        do {
            return try looking(at: path) { db in
                let sql = "SELECT token, role, name, created_at FROM tokens WHERE revoked_at IS NULL ORDER BY number"
                return try Row.fetchAll(db, sql: sql)
                    .map { ReturningToken(id: $0[0], role: $0[1], name: $0[2], createdAt: $0[3]) }
            }
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
    }

    /// Removes pairing codes, which may have been used since.
    static func dropPairingCodes(of path: String) throws(SQLiteStoreError) {
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.configuration)
            try queue.write { try $0.execute(sql: "DELETE FROM pairing_codes") }
            try queue.close()
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
    }

    /// Writes tokens into a backup that were revoked at its source, but not in the data file that was copied.
    static func put(_ tokens: [Token], into path: String) throws(SQLiteStoreError) {
        guard !tokens.isEmpty else { return }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.configuration)
            try queue.write { db in
                for token in tokens {
                    try db.execute(
                        sql: "UPDATE tokens SET revoked_at = ? WHERE token = ?", arguments: [token.revokedAt, token.id])
                }
            }
            try queue.close()
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
    }

    /// Time of each token's revocation, nil if it is not revoked; empty if the file does not exist or cannot be read.
    private static func revocations(in path: String) -> [String: Int64?] {
        guard Files.exists(path) else { return [:] }
        // Damage is why people restore: a file that cannot be read is treated as empty, and the person who restores is asked.
        let rows = try? looking(at: path) { try Row.fetchAll($0, sql: "SELECT token, revoked_at FROM tokens") }
        return Dictionary((rows ?? []).map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }

    private static func looking<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
        // A read-only connection does not remove the files that SQLite creates beside the data file for reading.
        let made = ["-wal", "-shm"].map { path + $0 }.filter { !Files.exists($0) }
        defer { for file in made { _ = unsafe unlink(file) } }
        let queue = try Connections.openToLook(path)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
