internal import GRDB
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// The rows of a removed workspace, except its audit log.
enum WorkspaceData {
    static func isGone(_ workspace: WorkspaceID, in db: Database) throws -> Bool {
        let sql = "SELECT 1 FROM workspaces WHERE workspace = ? AND removed_at IS NOT NULL"
        guard try Int64.fetchOne(db, sql: sql, arguments: [workspace.rawValue]) != nil else {
            throw LogError(.conflict, "The workspace \(workspace) was not removed.")
        }
        return try ["sessions WHERE workspace = ?", "commands WHERE workspace = ?", records].allSatisfy { rows in
            try Int64.fetchOne(db, sql: "SELECT 1 FROM \(rows) LIMIT 1", arguments: [workspace.rawValue]) == nil
        }
    }

    /// Takes some of it away; true if nothing is left.
    static func remove(_ workspace: WorkspaceID, rowsMax: Int, in db: Database) throws -> Bool {
        // The number of both is bounded.
        try db.execute(sql: "DELETE FROM commands WHERE workspace = ?", arguments: [workspace.rawValue])
        try db.execute(sql: "DELETE FROM \(records)", arguments: [workspace.rawValue])
        var left = rowsMax
        while left > 0 {
            let row = try Row.fetchOne(
                db, sql: "SELECT number, seq, audited FROM sessions WHERE workspace = ? LIMIT 1",
                arguments: [workspace.rawValue])
            guard let row else { return true }
            let session: Int64 = row[0]
            try db.execute(
                sql: "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id > ? AND id < ? ORDER BY id LIMIT ?)",
                arguments: [EventKey.id(session: session, seq: 0), EventKey.id(session: session + 1, seq: 0), left])
            left -= db.changesCount
            guard left > 0 else { break }
            for table in ["pictures", "approvals", "damaged_states"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE session = ?", arguments: [session])
                left -= db.changesCount
            }
            // The session's row counts its audit records; from here on its workspace's row has to.
            try db.execute(
                sql: "UPDATE workspaces SET audited = max(audited, ?) WHERE workspace = ?",
                arguments: [row[2] as Int64, workspace.rawValue])
            try RunRecord.removed(events: row[1], in: db)
            try db.execute(sql: "DELETE FROM sessions WHERE number = ?", arguments: [session])
            left -= 1
        }
        return try isGone(workspace, in: db)
    }

    private static let records = "push_records WHERE workspace = ? AND kind <> 'channel'"
}
