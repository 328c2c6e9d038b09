internal import GRDB

/// A workspace that was erased after a backup was made is erased in that, too, when it is restored.
enum Erasures {
    /// In `meta`, until the next start: ids with a blank between them. The backup may be older than what erasing needs.
    private static let row = "erase"

    /// The workspaces that `db` has as erased; none in a file from before there was that.
    static func known(in db: Database) throws -> [String] {
        let column = "SELECT 1 FROM pragma_table_info('workspaces') WHERE name = 'is_erased'"
        guard try Int.fetchOne(db, sql: column) != nil else { return [] }
        return try String.fetchAll(db, sql: "SELECT workspace FROM workspaces WHERE is_erased = 1 ORDER BY number")
    }

    static func note(_ workspaces: [String], in db: Database) throws {
        guard !workspaces.isEmpty else { return }
        try db.execute(
            sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [row, workspaces.joined(separator: " ")])
    }

    /// Marks those that were noted, in a file that is up to date; their data goes as that of others.
    static func complete(_ pool: DatabasePool) throws {
        func noted(in db: Database) throws -> String? {
            try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [row])
        }
        guard try pool.writeWithoutTransaction(noted) != nil else { return }
        try pool.write { db in
            for workspace in try noted(in: db)?.split(separator: " ").map(String.init) ?? [] {
                try erase(workspace, in: db)
            }
            try db.execute(sql: "DELETE FROM meta WHERE name = ?", arguments: [row])
        }
    }

    /// False if it was not removed.
    static func mark(_ workspace: String, in db: Database) throws -> Bool {
        try db.execute(
            sql: "UPDATE workspaces SET is_erased = 1, name = '' WHERE workspace = ? AND removed_at IS NOT NULL",
            arguments: [workspace])
        guard db.changesCount == 1 else { return false }
        try db.execute(
            sql: "UPDATE tokens SET name = '', used_from = NULL, page_key = NULL WHERE workspace = ?", arguments: [workspace])
        return true
    }

    private static func erase(_ workspace: String, in db: Database) throws {
        let now = "unixepoch() * 1000"
        try db.execute(
            sql: "UPDATE workspaces SET removed_at = coalesce(removed_at, \(now)) WHERE workspace = ?", arguments: [workspace])
        try db.execute(
            sql: "UPDATE tokens SET revoked_at = coalesce(revoked_at, \(now)) WHERE workspace = ?", arguments: [workspace])
        try db.execute(sql: "DELETE FROM pairing_codes WHERE workspace = ?", arguments: [workspace])
        _ = try mark(workspace, in: db)
    }
}
