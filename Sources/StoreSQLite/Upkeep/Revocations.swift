internal import Foundation
internal import GRDB
internal import Glibc
internal import RelayCore

/// A backup knows nothing of what was revoked after it was made.
enum Revocations {
    /// Revokes in `draft`, a checked copy of a backup, what is revoked in `current`, the data file that it is to replace, and has it erase what is erased
    /// there; and takes its pairing codes away, which may have been used since. Of `draft` only what version 1 has is looked at: either file may be older than we are.
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

    /// The tokens that let somebody in, as this data file has it, which is only read.
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

    /// Takes away pairing codes, which may have been used since.
    static func dropPairingCodes(of path: String) throws(SQLiteStoreError) {
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.configuration)
            try queue.write { try $0.execute(sql: "DELETE FROM pairing_codes") }
            try queue.close()
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
    }

    /// Writes tokens into a backup that are revoked at its source, and are not in the data file that was copied.
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

    /// Time of each token's revocation, nil if it is not revoked; empty if the file is not there or cannot be read.
    private static func revocations(in path: String) -> [String: Int64?] {
        guard Files.exists(path) else { return [:] }
        // Damage is why people restore: what cannot be read says nothing, and the person who restores is asked.
        let rows = try? looking(at: path) { try Row.fetchAll($0, sql: "SELECT token, revoked_at FROM tokens") }
        return Dictionary((rows ?? []).map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }

    private static func looking<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
        // A connection that cannot write leaves the files behind that SQLite creates next to a file to read it.
        let made = ["-wal", "-shm"].map { path + $0 }.filter { !Files.exists($0) }
        defer { for file in made { _ = unsafe unlink(file) } }
        let queue = try Connections.openToLook(path)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
