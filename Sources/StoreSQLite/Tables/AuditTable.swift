internal import GRDB
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// Adds to the audit log, in the transaction of what is recorded.
///
/// Retention does not remove its rows.
struct AuditTable {
    let path: String

    /// The end of a workspace's audit log.
    struct Place: Sendable {
        /// The workspace's number in the file.
        let workspace: Int64
        let head: AuditHead
    }

    /// Adds a record that is about no session.
    func add(_ record: AuditRecord, in db: Database) throws {
        let place = try add(record, after: nil, in: db)
        let update = try db.cachedStatement(sql: "UPDATE workspaces SET audited = max(audited, ?) WHERE number = ?")
        try update.run {
            $0.add(place.head.n)
            $0.add(place.workspace)
        }
    }

    /// Adds a record, and returns the new end of the log. The caller stores `n`, the number of records, in a row of its own.
    ///
    /// `known`: an earlier end of the log; another connection may have added to it since.
    func add(_ record: AuditRecord, after known: Place?, in db: Database) throws -> Place {
        if let known, let next = try add(record, at: known, in: db) { return next }
        guard let next = try add(record, at: place(of: record.workspace, in: db), in: db) else {
            throw LogError(.full, "\(path) has no number left for a record of the audit log.")
        }
        return next
    }

    /// Nil if the number is taken, or there is none left.
    private func add(_ record: AuditRecord, at place: Place, in db: Database) throws -> Place? {
        guard place.head.n < EventKey.seqMax else { return nil }
        let (line, head) = record.line(after: place.head)
        let insertion = try db.cachedStatement(sql: "INSERT INTO audit VALUES (?, ?) ON CONFLICT DO NOTHING")
        try insertion.run {
            $0.add(AuditKey.id(workspace: place.workspace, n: head.n))
            $0.add(line)
        }
        return db.changesCount == 1 ? Place(workspace: place.workspace, head: head) : nil
    }

    /// The end of a workspace's log. Numbers of records that were cut off at the end are not used again: the gap shows that they
    /// existed.
    private func place(of workspace: WorkspaceID, in db: Database) throws -> Place {
        guard
            let (number, audited) = try Self.workspaces(in: db).first(where: { $0.value.name == workspace.rawValue })
                .map({ ($0.key, $0.value.audited) })
        else { throw LogError(.conflict, "There is no workspace \(workspace).") }
        let row = try Row.fetchOne(
            db, sql: "SELECT id, line FROM audit WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 1",
            arguments: [AuditKey.id(workspace: number, n: 0), AuditKey.id(workspace: number + 1, n: 0)])
        let head =
            row.map { AuditHead(workspace: workspace, n: max(audited, AuditKey.n(id: $0[0])), line: $0[1]) }
            ?? AuditHead(workspace: workspace, n: audited, hash: AuditHead.start(of: workspace).hash)
        return Place(workspace: number, head: head)
    }

    /// Name and number of audit records of each workspace, by its number in the file.
    static func workspaces(in db: Database) throws -> [Int64: (name: String, audited: Int64)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT number, workspace, max(audited, (
                    SELECT coalesce(max(audited), 0) FROM sessions WHERE sessions.workspace = workspaces.workspace
                )) FROM workspaces
                """)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, ($0[1] as String, $0[2] as Int64)) })
    }
}
