internal import GRDB
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Workspaces beyond the first, each change with its record in their own audit logs.
extension SQLiteCredentials: WorkspaceStore {
    package func addWorkspace(_ workspace: Named<WorkspaceTag>, at: Int64?) throws(LogError) {
        try database.write { db in
            try WorkspaceRules.check(workspace.name, beside: self.workspaces(in: db))
            try db.execute(
                sql: "INSERT INTO workspaces (workspace, name) VALUES (?, ?)",
                arguments: [workspace.id.rawValue, workspace.name])
            guard let at else { return }
            try self.audit.add(AuditRecord(workspace, AuditWord.workspaceAdded, at: at), in: db)
        }
    }

    package func renameWorkspace(_ id: WorkspaceID, to name: String, at: Int64) throws(LogError) -> Bool {
        try database.write { db in
            let standing = try self.workspaces(in: db)
            guard standing.contains(where: { $0.id == id }) else { return false }
            try WorkspaceRules.check(name, beside: standing.filter { $0.id != id })
            try db.execute(sql: "UPDATE workspaces SET name = ? WHERE workspace = ?", arguments: [name, id.rawValue])
            try self.audit.add(AuditRecord(Named(id: id, name: name), AuditWord.workspaceRenamed, at: at), in: db)
            return true
        }
    }

    package func removeWorkspace(_ id: WorkspaceID, at: Int64) throws(LogError) -> [Token]? {
        try write { db in
            let standing = try self.workspaces(in: db)
            guard let workspace = standing.first(where: { $0.id == id }) else { return nil }
            try WorkspaceRules.checkRemoval(of: id, first: standing.first?.id)
            let ended = try self.tokens("WHERE workspace = ? AND revoked_at IS NULL ORDER BY number", [id.rawValue], in: db)
            for token in ended {
                try db.execute(sql: "UPDATE tokens SET revoked_at = ? WHERE token = ?", arguments: [at, token.id])
                try self.audit.add(AuditRecord(token, AuditWord.tokenRevoked, by: nil, at: at), in: db)
            }
            try db.execute(sql: "DELETE FROM pairing_codes WHERE workspace = ?", arguments: [id.rawValue])
            try db.execute(sql: "UPDATE workspaces SET removed_at = ? WHERE workspace = ?", arguments: [at, id.rawValue])
            try self.audit.add(AuditRecord(workspace, AuditWord.workspaceRemoved, at: at), in: db)
            return ended
        }
    }

    package func removedWorkspaces() throws(LogError) -> [WorkspaceID] {
        try database.read { db in
            let sql = "SELECT workspace FROM workspaces WHERE removed_at IS NOT NULL ORDER BY number"
            return try String.fetchAll(db, sql: sql).map { try self.database.identifier($0) }
        }
    }

    package func workspacesToClear() throws(LogError) -> [WorkspaceID] {
        let removed = try removedWorkspaces()
        return try database.read { db in try removed.filter { try !WorkspaceData.isGone($0, in: db) } }
    }

    package func removeData(of workspace: WorkspaceID, rowsMax: Int) throws(LogError) -> Bool {
        // Nearly always, at a start, there is nothing left to do, and nothing to write.
        if try database.read({ try WorkspaceData.isGone(workspace, in: $0) }) { return true }
        return try database.write { try WorkspaceData.remove(workspace, rowsMax: rowsMax, in: $0) }
    }
}
