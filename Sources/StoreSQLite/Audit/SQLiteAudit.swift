internal import Foundation
internal import GRDB
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Reads the audit log: who decided what, and who was paired.
package final class SQLiteAudit: AuditLog {
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) { self.database = database }

    package func export(of workspace: WorkspaceID?, _ body: ([UInt8]) -> Bool) throws(LogError) {
        try database.read { db in
            let ofOne = "WHERE id >> 32 = (SELECT number FROM workspaces WHERE workspace = ?)"
            let rows = try Row.fetchCursor(
                db, sql: "SELECT line FROM audit \(workspace == nil ? "" : ofOne) ORDER BY id",
                arguments: StatementArguments(workspace.map { [$0.rawValue] } ?? []))
            while let row = try rows.next(), body(AuditLine.spelledOut(row[0])) {}
        }
    }

    /// Adds records that are about no session.
    func add(_ records: [AuditRecord]) throws(LogError) {
        let table = AuditTable(path: database.path)
        try database.write { db in
            for record in records { try table.add(record, in: db) }
        }
    }

    package func verify(against file: String?, heads: [String]) throws(LogError) -> AuditReport {
        try database.read { db in
            var examination = AuditExamination(wanting: heads, of: try AuditTable.workspaces(in: db))
            try self.addDecisions(in: db, to: &examination)
            let rows = try Row.fetchCursor(db, sql: "SELECT id, line FROM audit ORDER BY id")
            while let row = try rows.next() {
                examination.add(row[1], workspace: AuditKey.workspace(id: row[0]), n: AuditKey.n(id: row[0]))
            }
            let query = try db.cachedStatement(sql: "SELECT line FROM audit WHERE id = ?")
            return try examination.finish(comparing: file) { workspace, n in
                try Row.fetchOne(query, arguments: [AuditKey.id(workspace: workspace, n: n)]).map { $0[0] as [UInt8] }
            }
        }
    }

    /// Adds every stored decision since the audit log began.
    private func addDecisions(in db: Database, to examination: inout AuditExamination) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT workspace, sessions.session, \(StoredApproval.columns)
                FROM approvals JOIN sessions ON sessions.number = approvals.session
                WHERE approvals.number > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'audit_follows_approval')
                """)
        while let row = try rows.next() {
            let key = AuditedApproval(
                workspace: try database.identifier(row[0]), session: try database.identifier(row[1]),
                approval: try database.identifier(row[2]))
            try database.decode { () throws(WireError) in try examination.add(StoredApproval(row, from: 2), key) }
        }
    }
}
