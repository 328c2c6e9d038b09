internal import GRDB
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Workspaces beyond the first; each change is recorded in their own audit logs.
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

    package func register(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules
    ) throws(LogError) -> RegistrationRules.Refusal? {
        try database.write { db in
            let (registered, all) = (try self.registrations(in: db), try self.workspaces(in: db))
            if let refusal = rules.refusal(of: registration.from, beside: registered, among: all.count) { return refusal }
            try WorkspaceRules.check(workspace.name, beside: all)
            let limits = rules.newcomer
            try db.execute(
                sql: """
                    INSERT INTO workspaces (workspace, name, registered_from, registered_at, \(Self.limitColumns))
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    workspace.id.rawValue, workspace.name, registration.from, registration.at, limits.sessions,
                    limits.megabytes, limits.pushesPerDay, limits.connections, limits.keepDays,
                ])
            try self.audit.add(AuditRecord(workspace, AuditWord.workspaceAdded, at: registration.at), in: db)
            return nil
        }
    }

    package func registrations() throws(LogError) -> [Registration] { try database.read { try self.registrations(in: $0) } }

    private func registrations(in db: Database) throws -> [Registration] {
        let sql = """
            SELECT workspace, registered_from, registered_at FROM workspaces
            WHERE registered_from IS NOT NULL AND removed_at IS NULL ORDER BY number
            """
        return try Row.fetchAll(db, sql: sql).map {
            Registration(workspace: try database.identifier($0[0]), from: $0[1], at: $0[2])
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

    package func usage() throws(LogError) -> [WorkspaceID: WorkspaceUsage] {
        try database.read { db in
            var found: [WorkspaceID: WorkspaceUsage] = [:]
            // A damaged state counts as zero bytes.
            let sessions = """
                SELECT workspace, count(*), sum(CASE WHEN json_valid(CAST(state AS TEXT))
                    THEN coalesce(json_extract(CAST(state AS TEXT), '$.eventBytes'), 0) ELSE 0 END)
                FROM sessions WHERE is_removed = 0 GROUP BY workspace
                """
            for row in try Row.fetchAll(db, sql: sessions) {
                found[try self.database.identifier(row[0])] = WorkspaceUsage(sessions: row[1], eventBytes: row[2])
            }
            let pictures = """
                SELECT workspace, sum(size) FROM pictures JOIN sessions ON sessions.number = pictures.session GROUP BY workspace
                """
            for row in try Row.fetchAll(db, sql: pictures) {
                found[try self.database.identifier(row[0]), default: WorkspaceUsage()].pictureBytes = row[1]
            }
            return found
        }
    }

    package func limits() throws(LogError) -> [WorkspaceID: WorkspaceLimits] {
        try database.read { db in
            let sql = "SELECT workspace, \(Self.limitColumns) FROM workspaces WHERE removed_at IS NULL"
            let rows = try Row.fetchAll(db, sql: sql)
            var found: [WorkspaceID: WorkspaceLimits] = [:]
            for row in rows {
                let limits = Self.limits(row)
                if !limits.isEmpty { found[try self.database.identifier(row["workspace"])] = limits }
            }
            return found
        }
    }

    @discardableResult package func changeLimits(
        of id: WorkspaceID, _ change: (inout WorkspaceLimits) -> Void
    ) throws(LogError) -> WorkspaceLimits? {
        try database.write { db in
            let sql = "SELECT \(Self.limitColumns) FROM workspaces WHERE workspace = ? AND removed_at IS NULL"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [id.rawValue]) else { return nil }
            var limits = Self.limits(row)
            change(&limits)
            try db.execute(
                sql: """
                    UPDATE workspaces SET sessions_max = ?, megabytes_max = ?, pushes_max = ?, connections_max = ?, keep_days = ?
                    WHERE workspace = ?
                    """,
                arguments: [
                    limits.sessions, limits.megabytes, limits.pushesPerDay, limits.connections, limits.keepDays, id.rawValue,
                ])
            return limits
        }
    }

    private static let limitColumns = "sessions_max, megabytes_max, pushes_max, connections_max, keep_days"

    private static func limits(_ row: Row) -> WorkspaceLimits {
        WorkspaceLimits(
            sessions: row["sessions_max"], megabytes: row["megabytes_max"], pushesPerDay: row["pushes_max"],
            connections: row["connections_max"], keepDays: row["keep_days"])
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

    package func eraseWorkspace(_ id: WorkspaceID) throws(LogError) {
        try database.write { db in
            guard try Erasures.mark(id.rawValue, in: db) else {
                throw LogError(.conflict, "The workspace \(id) was not removed.")
            }
        }
    }

    package func erasedWorkspaces() throws(LogError) -> [WorkspaceID] {
        try database.read { db in
            try String.fetchAll(db, sql: "SELECT workspace FROM workspaces WHERE is_erased = 1 ORDER BY number")
                .map { try self.database.identifier($0) }
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
        // Checked first, as at a start there is nearly always nothing left to delete, and then nothing is written.
        if try !database.read({ try WorkspaceData.isGone(workspace, in: $0) }) {
            guard try database.write({ try WorkspaceData.remove(workspace, rowsMax: rowsMax, in: $0) }) else { return false }
        } else if try !erasedWorkspaces().contains(workspace) {
            return true
        }
        return try database.emptyLog()
    }
}
