internal import Foundation
internal import GRDB
internal import RelayCore
package import RelayProtocol

/// The audit log: who decided what, and who was let in. Only ever added to, in the transaction of what it records.
///
/// It outlives retention: trims and removals leave it alone.
extension SQLiteStore {
    func audit(_ record: AuditRecord, in db: Database) throws {
        let newest = try db.cachedStatement(sql: "SELECT n, hash FROM audit WHERE workspace = ? ORDER BY n DESC LIMIT 1")
        let head = try newest.first(.text(record.workspace.rawValue)) {
            AuditHead(workspace: record.workspace, n: $0.integer(0), hash: $0.text(1))
        }
        let (line, next) = record.line(after: head ?? .start(of: record.workspace))
        let insertion = try db.cachedStatement(sql: "INSERT INTO audit (workspace, n, hash, line) VALUES (?, ?, ?, ?)")
        try insertion.run(.text(record.workspace.rawValue), .integer(next.n), .text(next.hash), .blob(line))
    }

    /// Calls `body` with each line, without its end, in the order in which they were written; nil for every workspace.
    package func exportAudit(of workspace: WorkspaceID?, _ body: ([UInt8]) throws -> Void) throws {
        // What `body` throws is not the store's, and is handed on as it is.
        var failure: (any Error)?
        try read { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT line FROM audit WHERE ?1 IS NULL OR workspace = ?1 ORDER BY number",
                arguments: [workspace?.rawValue])
            while failure == nil, let row = try rows.next() {
                do { try body(row[0]) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }

    /// Checks the chain of every workspace, that every decision in the tables has its record, that each of `heads` (hashes) is
    /// among the records, and, where a file is named, that its lines are the first lines of what is stored here.
    package func verifyAudit(against file: String?, heads: [String]) throws(StoreError) -> AuditReport {
        try read { db in
            var verifier = AuditVerifier(wanting: heads)
            var unrecorded = try self.decisions(in: db, &verifier)
            var number: Int64 = 0
            let rows = try Row.fetchCursor(db, sql: "SELECT number, workspace, n, hash, line FROM audit ORDER BY number")
            while let row = try rows.next() {
                let place = "row \(row[0] as Int64)"
                if row[0] != number + 1 { verifier.fault("\(place) follows row \(number): rows between them were removed") }
                number = row[0]
                guard let line = verifier.take(row[4], at: place) else { continue }
                if row[1] != line.workspace.rawValue || row[2] != line.n || row[3] != line.hash {
                    verifier.fault("\(place) was changed: its columns say something else than its line")
                }
                if let decided = line.decision, unrecorded[decided.key] == decided.decision {
                    unrecorded[decided.key] = nil
                }
            }
            let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") ?? 0
            if last != number { verifier.fault("row \(number) is the last, but there were \(last): the end was cut off") }
            for approval in unrecorded.keys.map({ "\($0.workspace)/\($0.session)/\($0.approval)" }).sorted() {
                verifier.fault("approval \(approval) has a decision that no record has")
            }
            if let file { try self.compare(file, with: db, &verifier) }
            return verifier.finish()
        }
    }

    /// Checks an exported file by itself.
    package static func verifyAudit(inFile file: String, heads: [String]) throws(StoreError) -> AuditReport {
        var verifier = AuditVerifier(wanting: heads)
        try AuditFile.forEachLine(of: file) { bytes, number in _ = verifier.take(bytes, at: "line \(number)") }
        return verifier.finish()
    }

    /// Every decision in the tables that was made since there has been an audit log.
    private func decisions(in db: Database, _ verifier: inout AuditVerifier) throws -> [AuditedApproval: Decision] {
        var decisions: [AuditedApproval: Decision] = [:]
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT workspace, sessions.session, \(Self.approvalColumns)
                FROM approvals JOIN sessions ON sessions.number = approvals.session
                WHERE approvals.number > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'audit_follows_approval')
                """)
        while let row = try rows.next() {
            let key = AuditedApproval(
                workspace: try identifier(row[0]), session: try identifier(row[1]), approval: try identifier(row[2]))
            let stored = StoredApproval(row, from: 2)
            if !stored.isIntact {
                verifier.fault("approval \(key.workspace)/\(key.session)/\(key.approval) \(DamagedRecord.changed)")
            }
            let approval = try decode { () throws(WireError) in try Approval(stored: stored.record) }
            if let decision = approval.decision { decisions[key] = decision }
        }
        return decisions
    }

    private func compare(_ file: String, with db: Database, _ verifier: inout AuditVerifier) throws {
        var ofFile = AuditVerifier(wanting: [])
        var differences: [String] = []
        let query = try db.cachedStatement(sql: "SELECT line FROM audit WHERE workspace = ? AND n = ?")
        try AuditFile.forEachLine(of: file) { bytes, number in
            guard let line = ofFile.take(bytes, at: "line \(number)") else { return }
            let stored = try Data.fetchOne(query, arguments: [line.workspace.rawValue, line.n])
            if stored == nil {
                differences.append("line \(number) has a record that the data does not have: the end of the data was cut off")
            } else if stored != Data(bytes) {
                differences.append("line \(number) is another than record \(line.n) of workspace \(line.workspace) in the data")
            }
        }
        for fault in ofFile.finish().faults + differences { verifier.fault("\(file): \(fault)") }
    }
}
