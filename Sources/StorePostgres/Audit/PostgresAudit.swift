internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Reads the audit log: who decided what, and who was paired.
package final class PostgresAudit: AuditLog {
    private let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    package func export(of workspace: WorkspaceID?, _ body: ([UInt8]) -> Bool) throws(LogError) {
        try database.snapshot { connection in
            try Self.forEachRecord(of: workspace, on: connection) { _, _, line in body(AuditLine.spelledOut(line)) }
        }
    }

    package func verify(against file: String?, heads: [String]) throws(LogError) -> AuditReport {
        try database.snapshot { connection in
            let rows = try Self.ask(
                "SELECT w.number, w.workspace, greatest(w.audited, \(AuditTable.audited)) FROM workspaces AS w", on: connection)
            let workspaces = rows.map { ($0.integer(0), ($0.text(1), $0.integer(2))) }
            var examination = AuditExamination(wanting: heads, of: Dictionary(uniqueKeysWithValues: workspaces))
            try Self.addDecisions(on: connection, to: &examination)
            try Self.forEachRecord(of: nil, on: connection) { workspace, n, line in
                examination.add(line, workspace: workspace, n: n)
                return true
            }
            return try examination.finish(comparing: file) { workspace, n in
                try Self.ask(
                    "SELECT line FROM audit WHERE workspace = $1::int AND n = $2::bigint", .int(Int32(workspace)), .bigint(n),
                    on: connection
                ).first?.bytes(0)
            }
        }
    }

    /// Records read at a time: a record has some 500 bytes, and far less than 1 MiB.
    private static let recordsAtOnce: Int64 = 256

    private static func forEachRecord(
        of workspace: WorkspaceID?, on connection: PostgresConnection,
        _ body: (_ workspace: Int64, _ n: Int64, [UInt8]) -> Bool
    ) throws {
        var last: (workspace: Int64, n: Int64) = (0, 0)
        while true {
            let rows = try ask(
                """
                SELECT workspace, n, line FROM audit WHERE (workspace, n) > ($1::int, $2::bigint)
                AND ($3::text IS NULL OR workspace = (SELECT w.number FROM workspaces AS w WHERE w.workspace = $3::text))
                ORDER BY workspace, n LIMIT $4::bigint
                """, .int(Int32(last.workspace)), .bigint(last.n), .text(workspace?.rawValue), .bigint(recordsAtOnce),
                on: connection)
            for row in rows {
                last = (row.integer(0), row.integer(1))
                guard body(last.workspace, last.n, row.bytes(2)) else { return }
            }
            if rows.count < Int(recordsAtOnce) { return }
        }
    }

    private static let approvalsAtOnce: Int64 = 256

    /// Adds every stored decision since the audit log began: the data may have been moved here from a file that is older than its
    /// audit log.
    private static func addDecisions(on connection: PostgresConnection, to examination: inout AuditExamination) throws {
        let before = try ask("SELECT value::bigint FROM meta WHERE name = 'audit_follows_approval'", on: connection)
        var last = before.first?.integer(0) ?? 0
        while true {
            let rows = try ask(
                """
                SELECT a.number, w.workspace, s.session, \(StoredApproval.columns) FROM (
                    SELECT * FROM approvals WHERE number > $1::bigint ORDER BY number LIMIT $2::bigint
                ) AS a
                JOIN sessions AS s ON (s.workspace, s.number) = (a.workspace, a.session)
                JOIN workspaces AS w ON w.number = a.workspace ORDER BY a.number
                """, .bigint(last), .bigint(approvalsAtOnce), on: connection)
            for row in rows {
                last = row.integer(0)
                let key = AuditedApproval(
                    workspace: try Stored.identifier(row.text(1)), session: try Stored.identifier(row.text(2)),
                    approval: try Stored.identifier(row.text(3)))
                try Stored.decode { () throws(WireError) in try examination.add(StoredApproval(row, from: 3), key) }
            }
            if rows.count < Int(approvalsAtOnce) { return }
        }
    }

    private static func ask(
        _ sql: String, _ values: PostgresValue..., on connection: PostgresConnection
    ) throws -> PostgresRows {
        try connection.run(PostgresStatement(sql, values), within: PostgresDatabase.askingMax)
    }
}
