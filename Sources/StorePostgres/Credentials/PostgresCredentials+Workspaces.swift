internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Workspaces beyond the first; each change is recorded in their own audit logs.
extension PostgresCredentials: WorkspaceStore {
    package func addWorkspace(_ workspace: Named<WorkspaceTag>, at: Int64?) throws(LogError) {
        try database.write { connection in
            try WorkspaceRules.check(workspace.name, beside: Self.workspaces(on: connection))
            _ = try Self.run(
                "INSERT INTO workspaces (workspace, name) VALUES ($1::text, $2::text)", .text(workspace.id.rawValue),
                .text(workspace.name), on: connection)
            guard let at else { return }
            try AuditTable.add(AuditRecord(workspace, AuditWord.workspaceAdded, at: at), on: connection)
        }
    }

    package func register(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules
    ) throws(LogError) -> RegistrationRules.Refusal? {
        try database.write { connection in
            // Nodes register workspaces one after the other, as the limits apply to all of them together.
            _ = try Self.run("LOCK TABLE workspaces IN SHARE ROW EXCLUSIVE MODE", on: connection)
            let (registered, all) = (try Self.registrations(on: connection), try Self.workspaces(on: connection))
            if let refusal = rules.refusal(of: registration.from, beside: registered, among: all.count) { return refusal }
            try WorkspaceRules.check(workspace.name, beside: all)
            let limits = rules.newcomer
            func value(_ number: Int) -> PostgresValue { .bigint(Int64(number)) }
            _ = try Self.run(
                """
                INSERT INTO workspaces (workspace, name, registered_from, registered_at, \(Self.limitColumns))
                VALUES ($1::text, $2::text, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint)
                """, .text(workspace.id.rawValue), .text(workspace.name), .text(registration.from), .bigint(registration.at),
                value(limits.sessions), value(limits.megabytes), value(limits.pushesPerDay), value(limits.connections),
                value(limits.keepDays), on: connection)
            try AuditTable.add(AuditRecord(workspace, AuditWord.workspaceAdded, at: registration.at), on: connection)
            return nil
        }
    }

    package func registrations() throws(LogError) -> [Registration] { try database.read { try Self.registrations(on: $0) } }

    private static func registrations(on connection: PostgresConnection) throws -> [Registration] {
        let sql = """
            SELECT workspace, registered_from, registered_at FROM workspaces
            WHERE registered_from IS NOT NULL AND removed_at IS NULL ORDER BY number
            """
        return try run(sql, on: connection).map {
            Registration(workspace: try Stored.identifier($0.text(0)), from: $0.text(1), at: $0.integer(2))
        }
    }

    package func renameWorkspace(_ id: WorkspaceID, to name: String, at: Int64) throws(LogError) -> Bool {
        try database.write { connection in
            let standing = try Self.workspaces(on: connection)
            guard standing.contains(where: { $0.id == id }) else { return false }
            try WorkspaceRules.check(name, beside: standing.filter { $0.id != id })
            _ = try Self.run(
                "UPDATE workspaces SET name = $1::text WHERE workspace = $2::text", .text(name), .text(id.rawValue),
                on: connection)
            try AuditTable.add(
                AuditRecord(Named(id: id, name: name), AuditWord.workspaceRenamed, at: at), on: connection)
            return true
        }
    }

    package func usage() throws(LogError) -> [WorkspaceID: WorkspaceUsage] {
        try database.read { connection in
            var found: [WorkspaceID: WorkspaceUsage] = [:]
            // Written so that bytes that are not valid text give no number instead of an error: such a state counts as nothing.
            let sessions = """
                SELECT w.workspace, count(*), coalesce(sum(substring(encode(s.state, 'escape') FROM '"eventBytes":([0-9]{1,18})')::bigint), 0)::bigint
                FROM sessions AS s JOIN workspaces AS w ON w.number = s.workspace WHERE NOT s.is_removed GROUP BY w.workspace
                """
            for row in try Self.run(sessions, on: connection) {
                found[try Stored.identifier(row.text(0))] = WorkspaceUsage(sessions: row.integer(1), eventBytes: row.integer(2))
            }
            let pictures = """
                SELECT w.workspace, sum(p.size)::bigint FROM pictures AS p JOIN workspaces AS w ON w.number = p.workspace GROUP BY w.workspace
                """
            for row in try Self.run(pictures, on: connection) {
                found[try Stored.identifier(row.text(0)), default: WorkspaceUsage()].pictureBytes = row.integer(1)
            }
            return found
        }
    }

    package func limits() throws(LogError) -> [WorkspaceID: WorkspaceLimits] {
        try database.read { connection in
            var found: [WorkspaceID: WorkspaceLimits] = [:]
            let sql = "SELECT workspace, \(Self.limitColumns) FROM workspaces WHERE removed_at IS NULL"
            for row in try Self.run(sql, on: connection) {
                let limits = Self.limits(row, from: 1)
                if !limits.isEmpty { found[try Stored.identifier(row.text(0))] = limits }
            }
            return found
        }
    }

    @discardableResult package func changeLimits(
        of id: WorkspaceID, _ change: (inout WorkspaceLimits) -> Void
    ) throws(LogError) -> WorkspaceLimits? {
        try database.write { connection in
            let rows = try Self.run(
                "SELECT \(Self.limitColumns) FROM workspaces WHERE workspace = $1::text AND removed_at IS NULL FOR UPDATE",
                .text(id.rawValue), on: connection)
            guard let row = rows.first else { return nil }
            var limits = Self.limits(row, from: 0)
            change(&limits)
            func value(_ number: Int?) -> PostgresValue { .bigint(number.map { Int64($0) }) }
            _ = try Self.run(
                """
                UPDATE workspaces SET sessions_max = $2::bigint, megabytes_max = $3::bigint, pushes_max = $4::bigint,
                connections_max = $5::bigint, keep_days = $6::bigint WHERE workspace = $1::text
                """, .text(id.rawValue), value(limits.sessions), value(limits.megabytes), value(limits.pushesPerDay),
                value(limits.connections), value(limits.keepDays), on: connection)
            return limits
        }
    }

    private static let limitColumns = "sessions_max, megabytes_max, pushes_max, connections_max, keep_days"

    private static func limits(_ row: PostgresRows.Row, from place: Int32) -> WorkspaceLimits {
        func value(_ offset: Int32) -> Int? { row.optionalInteger(place + offset).map { Int($0) } }
        return WorkspaceLimits(
            sessions: value(0), megabytes: value(1), pushesPerDay: value(2), connections: value(3), keepDays: value(4))
    }

    package func removeWorkspace(_ id: WorkspaceID, at: Int64) throws(LogError) -> [Token]? {
        try database.write { connection in
            let standing = try Self.workspaces(on: connection)
            guard let workspace = standing.first(where: { $0.id == id }) else { return nil }
            try WorkspaceRules.checkRemoval(of: id, first: standing.first?.id)
            let ended = try Self.tokens(of: id, on: connection).filter { $0.revokedAt == nil }
            for token in ended {
                _ = try Self.run(
                    "UPDATE tokens SET revoked_at = $1::bigint WHERE token = $2::text", .bigint(at), .text(token.id),
                    on: connection)
                try AuditTable.add(AuditRecord(token, AuditWord.tokenRevoked, by: nil, at: at), on: connection)
            }
            _ = try Self.run(
                "DELETE FROM pairing_codes WHERE workspace = $1::text", .text(id.rawValue), on: connection)
            _ = try Self.run(
                "UPDATE workspaces SET removed_at = $1::bigint WHERE workspace = $2::text", .bigint(at), .text(id.rawValue),
                on: connection)
            try AuditTable.add(AuditRecord(workspace, AuditWord.workspaceRemoved, at: at), on: connection)
            return ended
        }
    }

    package func eraseWorkspace(_ id: WorkspaceID) throws(LogError) {
        try database.write { connection in
            let marked = try Self.run(
                "UPDATE workspaces SET is_erased = true, name = '' WHERE workspace = $1::text AND removed_at IS NOT NULL RETURNING 1",
                .text(id.rawValue), on: connection)
            guard marked.count == 1 else { throw LogError(.conflict, "The workspace \(id) was not removed.") }
            _ = try Self.run(
                "UPDATE tokens SET name = '', used_from = NULL, page_key = NULL WHERE workspace = $1::text", .text(id.rawValue),
                on: connection)
        }
    }

    package func erasedWorkspaces() throws(LogError) -> [WorkspaceID] {
        try database.read { connection in
            try Self.run("SELECT workspace FROM workspaces WHERE is_erased ORDER BY number", on: connection)
                .map { try Stored.identifier($0.text(0)) }
        }
    }

    package func removedWorkspaces() throws(LogError) -> [WorkspaceID] {
        try database.read { connection in
            try Self.run("SELECT workspace FROM workspaces WHERE removed_at IS NOT NULL ORDER BY number", on: connection)
                .map { try Stored.identifier($0.text(0)) }
        }
    }

    package func workspacesToClear() throws(LogError) -> [WorkspaceID] {
        let removed = try removedWorkspaces()
        return try database.read { connection in
            try removed.filter { try !WorkspaceData(of: $0, on: connection).isGone }
        }
    }

    package func removeData(of workspace: WorkspaceID, rowsMax: Int) throws(LogError) -> Bool {
        if try database.read({ try WorkspaceData(of: workspace, on: $0).isGone }) { return true }
        return try database.write { try WorkspaceData(of: workspace, on: $0).remove(rowsMax: rowsMax) }
    }
}
