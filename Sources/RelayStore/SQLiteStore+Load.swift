internal import GRDB
internal import RelayCore
internal import RelayProtocol
internal import Synchronization

extension SQLiteStore {
    /// Reads what the core starts from, around what does not decode.
    struct Loader {
        private(set) var state = LogState()
        private(set) var damaged: [DamagedRecord] = []
        /// Sessions whose approvals have something to stand in.
        private var loaded: Set<SessionKey> = []

        init(resolvedSince: Int64, commandsSince: Int64, from db: Database) throws {
            try loadSessions(from: db)
            try loadApprovals(resolvedSince: resolvedSince, from: db)
            try loadCommands(since: commandsSince, from: db)
            try loadRecords(from: db)
            let clock = "SELECT value FROM meta WHERE name = ?"
            state.clock = try String.fetchOne(db, sql: clock, arguments: [AgeClockRecord.name]).flatMap(
                AgeClockRecord.init(text:))
        }

        private mutating func loadSessions(from db: Database) throws {
            let rows = try Row.fetchCursor(
                db, sql: "SELECT workspace, session, \(StoredPlace.columns) FROM sessions ORDER BY number")
            while let row = try rows.next() {
                guard let workspace = WorkspaceID(row[0]), let session = SessionID(row[1]),
                    let stored = StoredPlace(row, of: SessionKey(workspace: workspace, session: session), from: 2)
                else {
                    damaged.append(
                        DamagedRecord(workspace: row[0], session: row[1], what: "the session's names are misspelled"))
                    continue
                }
                let key = SessionKey(workspace: workspace, session: session)
                guard stored.isIntact else {
                    remove(key, stored, because: "the session's row \(DamagedRecord.changed)")
                    continue
                }
                guard !stored.isRemoved else {
                    state.addRemoved(key, stored.place)
                    continue
                }
                do {
                    state.sessions.append((key, try SessionState(stored: stored.state)))
                    loaded.insert(key)
                } catch {
                    remove(key, stored, because: "the session's state does not decode: \(error)")
                }
            }
        }

        /// A session that is damaged is taken for a removed one.
        private mutating func remove(_ key: SessionKey, _ stored: StoredPlace, because what: String) {
            state.addRemoved(key, stored.place)
            damaged.append(
                DamagedRecord(workspace: key.workspace.rawValue, session: key.session.rawValue, what: what, isState: true))
        }

        private mutating func loadApprovals(resolvedSince: Int64, from db: Database) throws {
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT workspace, sessions.session, \(SQLiteStore.approvalColumns)
                    FROM approvals JOIN sessions ON sessions.number = approvals.session
                    WHERE resolved_at IS NULL OR resolved_at >= ? ORDER BY approvals.number
                    """, arguments: [resolvedSince])
            while let row = try rows.next() {
                guard let workspace = WorkspaceID(row[0]), let session = SessionID(row[1]),
                    loaded.contains(SessionKey(workspace: workspace, session: session))
                else { continue }
                let stored = StoredApproval(row, from: 2)
                guard stored.isIntact else {
                    damaged.append(
                        DamagedRecord(
                            workspace: row[0], session: row[1], what: "approval \(stored.name) \(DamagedRecord.changed)"))
                    continue
                }
                do {
                    state.approvals.append((workspace, try Approval(stored: stored.record)))
                } catch {
                    damaged.append(
                        DamagedRecord(
                            workspace: row[0], session: row[1],
                            what: "approval \(stored.name) does not decode: \(error)"))
                }
            }
        }

        private mutating func loadCommands(since: Int64, from db: Database) throws {
            let rows = try Row.fetchCursor(
                db, sql: "SELECT workspace, client, command, at FROM commands WHERE at >= ?", arguments: [since])
            while let row = try rows.next() {
                guard let workspace = WorkspaceID(row[0]), let client = ClientID(row[1]), let command = CommandID(row[2]) else {
                    damaged.append(DamagedRecord(workspace: row[0], session: "", what: "a command's names are misspelled"))
                    continue
                }
                state.commands.append(CommandRecord(workspace: workspace, client: client, command: command, at: row[3]))
            }
        }

        private mutating func loadRecords(from db: Database) throws {
            let rows = try Row.fetchCursor(
                db, sql: "SELECT workspace, kind, name, bytes, checksum FROM push_records ORDER BY workspace, kind, name")
            while let row = try rows.next() {
                let name: String = row[2]
                guard let workspace = WorkspaceID(row[0]), let kind = PushRecord.Kind(rawValue: row[1]) else {
                    damaged.append(
                        DamagedRecord(
                            workspace: row[0], session: "", what: "the names of \(row[1] as String) \(name) are misspelled"))
                    continue
                }
                let record = PushRecord(workspace: workspace, kind: kind, name: name, bytes: row[3])
                let checksum = RowChecksum(record: name, kind: row[1], workspace: row[0], bytes: row[3])
                guard checksum.matches(row[4]) else {
                    damaged.append(
                        DamagedRecord(
                            workspace: row[0], session: "", what: "\(kind.rawValue) \(name) \(DamagedRecord.changed)",
                            record: record.key))
                    continue
                }
                do {
                    _ = try JSONDocument(parsing: record.bytes ?? []).root.object()
                    state.records.append(record)
                } catch {
                    damaged.append(
                        DamagedRecord(
                            workspace: row[0], session: "", what: "\(kind.rawValue) \(name) does not decode: \(error)",
                            record: record.key))
                }
            }
        }
    }

    /// What `load` last found that is not as it was written, or does not decode, and the events that `checkEverything` found. The rows
    /// are as they were.
    package var damagedRecords: [DamagedRecord] { damage.withLock { $0.records } }

    func isDamaged(_ session: SessionKey) -> Bool {
        damage.withLock { $0.records.contains { $0.isState(of: session) } }
    }

    /// A state or record that another has replaced is no longer in the way.
    func forgetDamage(mendedBy batch: LogBatch) {
        damage.withLock { damage in
            guard !damage.records.isEmpty else { return }
            let keys = batch.appends.map(\.key) + batch.trims.map(\.key)
            for key in keys { damage.records.removeAll { $0.isState(of: key) } }
            for trim in batch.trims { damage.records.removeAll { $0.isEvent(within: trim) } }
            for record in batch.records { damage.records.removeAll { $0.record == record.key } }
        }
    }
}

/// A row that the relay goes on without.
package struct DamagedRecord: Sendable, Equatable {
    /// As they stand in the row, well spelled or not.
    package let workspace: String
    package let session: String
    package let what: String
    /// What does not decode is the session's state.
    private let isState: Bool
    /// Of a push's record that does not decode, which.
    let record: PushRecord.Key?
    /// Of an event, its number.
    let event: Int64?

    /// What is said of a row whose checksum is of another.
    static let changed = "is not as it was written"

    init(
        workspace: String, session: String, what: String, isState: Bool = false, record: PushRecord.Key? = nil,
        event: Int64? = nil
    ) {
        self.workspace = workspace
        self.session = session
        self.what = what
        self.isState = isState
        self.record = record
        self.event = event
    }

    func isState(of key: SessionKey) -> Bool {
        isState && workspace == key.workspace.rawValue && session == key.session.rawValue
    }

    func isEvent(within trim: SessionTrim) -> Bool {
        guard let event, workspace == trim.key.workspace.rawValue, session == trim.key.session.rawValue else { return false }
        return trim.state == nil || event <= trim.through
    }
}

extension Approval {
    init(stored bytes: [UInt8]) throws(WireError) { try self.init(from: JSONDocument(parsing: bytes).root) }
}
