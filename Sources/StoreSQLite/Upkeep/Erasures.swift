internal import GRDB

/// Erases workspaces again in a restored backup that were erased after it was made.
enum Erasures {
    /// Name of a row in `meta` with the ids, separated by blanks, until the next start. A separate row, because the backup may be
    /// older than the columns that erasing needs.
    private static let row = "erase"

    /// The workspaces that are marked as erased in `db`; none in a file from before erasing existed.
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

    /// Marks the noted workspaces as erased, in a migrated file; their data is then deleted as usual.
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

    /// False if the workspace was not removed.
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
