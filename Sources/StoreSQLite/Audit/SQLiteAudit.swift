internal import Foundation
internal import GRDB
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// Reads the audit log: who decided what, and who was let in.
package final class SQLiteAudit: AuditLog {
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) { self.database = database }

    package func export(of workspace: WorkspaceID?, _ body: ([UInt8]) -> Bool) throws(LogError) {
        try database.read { db in
            let ofOne = "WHERE id >> 32 = (SELECT number FROM workspaces WHERE workspace = ?)"
            let rows = try Row.fetchCursor(
                db, sql: "SELECT line FROM audit \(workspace == nil ? "" : ofOne) ORDER BY id",
                arguments: StatementArguments(workspace.map { [$0.rawValue] } ?? []))
            while let row = try rows.next(), body(row[0]) {}
        }
    }

    /// Records that are about no session.
    func add(_ records: [AuditRecord]) throws(LogError) {
        let table = AuditTable(path: database.path)
        try database.write { db in
            for record in records { try table.add(record, in: db) }
        }
    }

    package func verify(against file: String?, heads: [String]) throws(LogError) -> AuditReport {
        try database.read { db in
            var verifier = AuditVerifier(wanting: heads)
            var unrecorded = try self.decisions(in: db, &verifier)
            let workspaces = try AuditTable.workspaces(in: db)
            var last: [Int64: Int64] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT id, line FROM audit ORDER BY id")
            while let row = try rows.next() {
                let (number, n) = (AuditKey.workspace(id: row[0]), AuditKey.n(id: row[0]))
                let workspace = workspaces[number]
                let place = "row \(n) of \(workspace?.name ?? "no workspace")"
                last[number] = n
                guard let line = verifier.take(row[1], at: place) else { continue }
                if workspace?.name != line.workspace.rawValue || line.n != n {
                    verifier.fault("\(place) was moved: its line says record \(line.n) of workspace \(line.workspace)")
                }
                if let decided = line.decision, unrecorded[decided.key] == decided.decision {
                    unrecorded[decided.key] = nil
                }
            }
            for (number, workspace) in workspaces.sorted(by: { $0.key < $1.key })
            where workspace.audited != last[number, default: 0] {
                verifier.fault(
                    "row \(last[number, default: 0]) of \(workspace.name) is the last, but there were \(workspace.audited): "
                        + "the end was cut off")
            }
            for approval in unrecorded.keys.map({ "\($0.workspace)/\($0.session)/\($0.approval)" }).sorted() {
                verifier.fault("approval \(approval) has a decision that no record has")
            }
            if let file {
                let numbers = workspaces.map { ($0.value.name, $0.key) }
                try self.compare(file, with: db, Dictionary(uniqueKeysWithValues: numbers), &verifier)
            }
            return verifier.finish()
        }
    }

    /// Every decision in the tables that was made since there has been an audit log.
    private func decisions(in db: Database, _ verifier: inout AuditVerifier) throws -> [AuditedApproval: Decision] {
        var decisions: [AuditedApproval: Decision] = [:]
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
            let stored = StoredApproval(row, from: 2)
            if !stored.isIntact {
                verifier.fault("approval \(key.workspace)/\(key.session)/\(key.approval) \(DamagedRecord.changed)")
            }
            let approval = try database.decode { () throws(WireError) in try Approval(stored: stored.record) }
            if let decision = approval.decision { decisions[key] = decision }
        }
        return decisions
    }

    /// `numbers` are those of the workspaces in the file, by name.
    private func compare(
        _ file: String, with db: Database, _ numbers: [String: Int64], _ verifier: inout AuditVerifier
    ) throws {
        var ofFile = AuditVerifier(wanting: [])
        var differences: [String] = []
        let query = try db.cachedStatement(sql: "SELECT line FROM audit WHERE id = ?")
        try AuditFile.forEachLine(of: file) { bytes, number in
            guard let line = ofFile.take(bytes, at: "line \(number)") else { return }
            let id = numbers[line.workspace.rawValue].map { AuditKey.id(workspace: $0, n: line.n) }
            let stored = line.n <= EventKey.seqMax ? try Data.fetchOne(query, arguments: [id]) : nil
            if stored == nil {
                differences.append("line \(number) has a record that the data does not have: the end of the data was cut off")
            } else if stored != Data(bytes) {
                differences.append("line \(number) is another than record \(line.n) of workspace \(line.workspace) in the data")
            }
        }
        for fault in ofFile.finish().faults + differences { verifier.fault("\(file): \(fault)") }
    }
}
