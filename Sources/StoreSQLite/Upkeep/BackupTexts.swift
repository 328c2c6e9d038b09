internal import GRDB

/// Named texts that a backup contains besides the data, in the same file, so that there is only one file to keep.
enum BackupTexts {
    private static let prefix = "text:"

    /// `path`: a data file that nothing uses yet.
    static func put(_ texts: [String: String], into path: String) throws(SQLiteStoreError) {
        guard !texts.isEmpty else { return }
        try change(path) { db in
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
                try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [prefix + name, text])
            }
        }
    }

    /// Returns all texts, and removes them from the file.
    static func take(from path: String) throws(SQLiteStoreError) -> [String: String] {
        var found: [String: String] = [:]
        try change(path) { db in
            let own = "substr(name, 1, \(prefix.utf8.count)) = '\(prefix)'"
            for row in try Row.fetchAll(db, sql: "SELECT name, value FROM meta WHERE \(own)") {
                let name: String = row[0]
                found[String(name.dropFirst(prefix.count))] = row[1]
            }
            try db.execute(sql: "DELETE FROM meta WHERE \(own)")
        }
        return found
    }

    private static func change(_ path: String, _ body: (Database) throws -> Void) throws(SQLiteStoreError) {
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.configuration)
            try queue.write(body)
            try queue.close()
        } catch { throw SQLiteStoreError(error, path: path) }
    }
}
