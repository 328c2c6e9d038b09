internal import GRDB
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// The rows of a removed workspace, without its audit log unless it is erased.
enum WorkspaceData {
    static func isGone(_ workspace: WorkspaceID, in db: Database) throws -> Bool {
        let audit = try auditToErase(of: workspace, in: db)
        if let audit, try Int64.fetchOne(db, sql: "SELECT 1 FROM \(audit) LIMIT 1") != nil { return false }
        return try ["sessions WHERE workspace = ?", "commands WHERE workspace = ?", records].allSatisfy { rows in
            try Int64.fetchOne(db, sql: "SELECT 1 FROM \(rows) LIMIT 1", arguments: [workspace.rawValue]) == nil
        }
    }

    /// Selects the rows of its audit log if they are to be deleted with its data; nil if they stay.
    private static func auditToErase(of workspace: WorkspaceID, in db: Database) throws -> String? {
        let sql = "SELECT number, is_erased FROM workspaces WHERE workspace = ? AND removed_at IS NOT NULL"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [workspace.rawValue]) else {
            throw LogError(.conflict, "The workspace \(workspace) was not removed.")
        }
        let (number, isErased): (Int64, Bool) = (row[0], row[1])
        return isErased ? "audit WHERE id > \(number << 32) AND id < \((number + 1) << 32)" : nil
    }

    /// Deletes some of the rows; true if nothing is left.
    static func remove(_ workspace: WorkspaceID, rowsMax: Int, in db: Database) throws -> Bool {
        // The number of rows in these tables is limited, so they are deleted at once.
        try db.execute(sql: "DELETE FROM commands WHERE workspace = ?", arguments: [workspace.rawValue])
        try db.execute(sql: "DELETE FROM \(records)", arguments: [workspace.rawValue])
        var left = rowsMax
        while left > 0 {
            let row = try Row.fetchOne(
                db, sql: "SELECT number, seq, audited FROM sessions WHERE workspace = ? LIMIT 1",
                arguments: [workspace.rawValue])
            guard let row else {
                try removeAudit(of: workspace, rowsMax: left, in: db)
                break
            }
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
            // The session's row counts its audit records; from now on its workspace's row has to.
            try db.execute(
                sql: "UPDATE workspaces SET audited = max(audited, ?) WHERE workspace = ?",
                arguments: [row[2] as Int64, workspace.rawValue])
            try RunRecord.removed(events: row[1], in: db)
            try db.execute(sql: "DELETE FROM sessions WHERE number = ?", arguments: [session])
            left -= 1
        }
        return try isGone(workspace, in: db)
    }

    /// Deletes the newest records first, so that meanwhile the rest is a log whose end was cut off.
    private static func removeAudit(of workspace: WorkspaceID, rowsMax: Int, in db: Database) throws {
        guard let audit = try auditToErase(of: workspace, in: db) else { return }
        try db.execute(sql: "UPDATE workspaces SET audited = 0 WHERE workspace = ?", arguments: [workspace.rawValue])
        try db.execute(
            sql: "DELETE FROM audit WHERE id IN (SELECT id FROM \(audit) ORDER BY id DESC LIMIT ?)", arguments: [rowsMax])
    }

    private static let records = "push_records WHERE workspace = ? AND kind <> 'channel'"
}
