internal import Foundation
internal import GRDB
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

/// Looks for a batch in the file after a disk error.
struct BatchSearch {
    let db: Database

    /// For a batch that was found in the file: the names of its approvals that the log had before this batch.
    func namesTaken(in batch: LogBatch) throws -> [ApprovalName] {
        var taken: [ApprovalName] = []
        for append in batch.appends {
            let last = Dictionary(append.approvals.map { ($0.id, $0.seq) }) { _, later in later }
            for (approval, seq) in last.sorted(by: { $0.value < $1.value }) {
                let stored = try Int64.fetchOne(
                    db,
                    sql: """
                        SELECT seq FROM approvals WHERE approval = ?
                        AND session = (SELECT number FROM sessions WHERE workspace = ? AND session = ?)
                        """, arguments: [approval.rawValue, append.key.workspace.rawValue, append.key.session.rawValue])
                if let stored, stored < append.firstSeq, stored < seq { taken.append(ApprovalName(append.key, approval)) }
            }
        }
        return taken
    }

    /// True if the file is in the state after the batch. A batch is stored whole or not at all, so it is enough to look at the rows
    /// that can show it; one that changes nothing counts as stored.
    func contains(_ batch: LogBatch) throws -> Bool {
        // If a batch adds to one session several times, only the last addition is visible; the earlier ones were overwritten.
        let last = Dictionary(batch.appends.map { ($0.key, $0) }) { _, later in later }
        let records = Dictionary(batch.records.map { ($0.key, $0) }) { _, later in later }
        for append in last.values where try !self.contains(append) { return false }
        for record in records.values where try !self.contains(record) { return false }
        for trim in batch.trims where try !self.contains(trim) { return false }
        let recorded = "SELECT * FROM commands WHERE workspace = ? AND client = ? AND command = ?"
        for command in batch.commands where command.at >= batch.commandsForgottenBefore ?? .min {
            let query = try db.cachedStatement(sql: recorded)
            let names = [command.workspace.rawValue, command.client.rawValue, command.command.rawValue]
            guard try Row.fetchOne(query, arguments: StatementArguments(names)) != nil else { return false }
        }
        guard let before = batch.commandsForgottenBefore else { return true }
        return try Row.fetchOne(db, sql: "SELECT * FROM commands WHERE at < ?", arguments: [before]) == nil
    }

    /// Compares the last event byte by byte; an addition without events is recognised by the session's state.
    private func contains(_ append: SessionAppend) throws -> Bool {
        guard let stored = try StoredSession(append.key, in: db), stored.seq >= append.state.seq, !stored.isRemoved else {
            return false
        }
        guard let event = append.events.last else { return try state(of: stored) == Data(append.state.bytes) }
        let id = EventKey.id(session: stored.number, seq: append.state.seq)
        return try Data.fetchOne(db, sql: "SELECT bytes FROM events WHERE id = ?", arguments: [id]) == Data(event.bytes)
    }

    private func contains(_ trim: SessionTrim) throws -> Bool {
        guard let stored = try StoredSession(trim.key, in: db) else { return false }
        guard let state = trim.state else { return stored.isRemoved }
        let oldest = EventKey.id(session: stored.number, seq: 0)
        let through = EventKey.id(session: stored.number, seq: trim.through + 1)
        let left = try Row.fetchOne(db, sql: "SELECT id FROM events WHERE id > ? AND id < ?", arguments: [oldest, through])
        return try left == nil && self.state(of: stored) == Data(state.bytes)
    }

    private func contains(_ record: PushRecord) throws -> Bool {
        let query = try db.cachedStatement(sql: "SELECT bytes FROM push_records WHERE workspace = ? AND kind = ? AND name = ?")
        let names = [record.workspace.rawValue, record.kind.rawValue, record.name]
        return try Data.fetchOne(query, arguments: StatementArguments(names)) == record.bytes.map { Data($0) }
    }

    private func state(of stored: StoredSession) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT state FROM sessions WHERE number = ?", arguments: [stored.number])
    }
}
