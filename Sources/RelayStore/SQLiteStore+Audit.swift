internal import Foundation
internal import GRDB
internal import RelayCore
package import RelayProtocol

/// The audit log: who decided what, and who was let in. Only ever added to, in the transaction of what it records.
///
/// It outlives retention: trims and removals leave it alone.
extension SQLiteStore {
    /// A record that is about no session.
    func audit(_ record: AuditRecord, in db: Database) throws {
        let place = try audit(record, after: nil, in: db)
        let update = try db.cachedStatement(sql: "UPDATE workspaces SET audited = max(audited, ?) WHERE number = ?")
        try update.run {
            $0.add(place.head.n)
            $0.add(place.workspace)
        }
    }

    /// Where a workspace's log stands.
    struct AuditPlace: Sendable {
        /// Its number in the file.
        let workspace: Int64
        let head: AuditHead
    }

    /// Hands back where the log stands then. Whoever calls it notes `n` in a row of its own: it is how many records there were.
    ///
    /// `known` is where it stood when somebody last looked: another connection may have added to it since.
    func audit(_ record: AuditRecord, after known: AuditPlace?, in db: Database) throws -> AuditPlace {
        if let known, let next = try add(record, at: known, in: db) { return next }
        guard let next = try add(record, at: auditPlace(of: record.workspace, in: db), in: db) else {
            throw StoreError(.full, "\(path) has no number left for a record of the audit log.")
        }
        return next
    }

    /// Nil where its place is taken, or there is none.
    private func add(_ record: AuditRecord, at place: AuditPlace, in db: Database) throws -> AuditPlace? {
        guard place.head.n < EventKey.seqMax else { return nil }
        let (line, head) = record.line(after: place.head)
        let insertion = try db.cachedStatement(sql: "INSERT INTO audit VALUES (?, ?) ON CONFLICT DO NOTHING")
        try insertion.run {
            $0.add(AuditKey.id(workspace: place.workspace, n: head.n))
            $0.add(line)
        }
        return db.changesCount == 1 ? AuditPlace(workspace: place.workspace, head: head) : nil
    }

    /// The numbers of records that were taken off the end are not given again: the gap says for ever that they were there.
    private func auditPlace(of workspace: WorkspaceID, in db: Database) throws -> AuditPlace {
        guard
            let (number, audited) = try auditedWorkspaces(in: db).first(where: { $0.value.name == workspace.rawValue })
                .map({ ($0.key, $0.value.audited) })
        else { throw StoreError(.conflict, "There is no workspace \(workspace).") }
        let row = try Row.fetchOne(
            db, sql: "SELECT id, line FROM audit WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 1",
            arguments: [AuditKey.id(workspace: number, n: 0), AuditKey.id(workspace: number + 1, n: 0)])
        let head =
            row.map { AuditHead(workspace: workspace, n: max(audited, AuditKey.n(id: $0[0])), line: $0[1]) }
            ?? AuditHead(workspace: workspace, n: audited, hash: AuditHead.start(of: workspace).hash)
        return AuditPlace(workspace: number, head: head)
    }

    /// Calls `body` with each line, without its end, in the order in which they were written, one workspace after the other; nil for
    /// every workspace.
    package func exportAudit(of workspace: WorkspaceID?, _ body: ([UInt8]) throws -> Void) throws {
        // What `body` throws is not the store's, and is handed on as it is.
        var failure: (any Error)?
        try read { db in
            let ofOne = "WHERE id >> 32 = (SELECT number FROM workspaces WHERE workspace = ?)"
            let rows = try Row.fetchCursor(
                db, sql: "SELECT line FROM audit \(workspace == nil ? "" : ofOne) ORDER BY id",
                arguments: StatementArguments(workspace.map { [$0.rawValue] } ?? []))
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
            let workspaces = try self.auditedWorkspaces(in: db)
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

    /// Checks an exported file by itself.
    package static func verifyAudit(inFile file: String, heads: [String]) throws(StoreError) -> AuditReport {
        var verifier = AuditVerifier(wanting: heads)
        try AuditFile.forEachLine(of: file) { bytes, number in _ = verifier.take(bytes, at: "line \(number)") }
        return verifier.finish()
    }

    /// By number in the file: each workspace's name, and how many records it had.
    private func auditedWorkspaces(in db: Database) throws -> [Int64: (name: String, audited: Int64)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT number, workspace, max(audited, (
                    SELECT coalesce(max(audited), 0) FROM sessions WHERE sessions.workspace = workspaces.workspace
                )) FROM workspaces
                """)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, ($0[1] as String, $0[2] as Int64)) })
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
