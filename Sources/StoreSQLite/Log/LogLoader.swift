internal import GRDB
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// Reads the core's initial state.
enum LogLoader {
    static func load(resolvedSince: Int64, from db: Database) throws -> LogStateBuilder {
        let removed = "SELECT workspace FROM workspaces WHERE removed_at IS NOT NULL"
        var builder = LogStateBuilder(without: try String.fetchSet(db, sql: removed))
        let sessions = try Row.fetchCursor(
            db, sql: "SELECT workspace, session, \(StoredPlace.columns) FROM sessions ORDER BY number")
        while let row = try sessions.next() {
            builder.addSession(workspace: row[0], session: row[1]) { StoredPlace(row, of: $0, from: 2) }
        }
        let approvals = try Row.fetchCursor(
            db,
            sql: """
                SELECT workspace, sessions.session, \(StoredApproval.columns)
                FROM approvals JOIN sessions ON sessions.number = approvals.session
                WHERE resolved_at IS NULL OR resolved_at >= ? ORDER BY approvals.number
                """, arguments: [resolvedSince])
        while let row = try approvals.next() {
            builder.addApproval(workspace: row[0], session: row[1]) { StoredApproval(row, from: 2) }
        }
        let commands = try Row.fetchCursor(db, sql: "SELECT workspace, client, command, at FROM commands")
        while let row = try commands.next() {
            builder.addCommand(workspace: row[0], client: row[1], command: row[2], at: row[3])
        }
        let records = try Row.fetchCursor(
            db, sql: "SELECT workspace, kind, name, bytes, checksum FROM push_records ORDER BY workspace, kind, name")
        while let row = try records.next() {
            builder.addRecord(workspace: row[0], kind: row[1], name: row[2], bytes: row[3], checksum: row[4])
        }
        let clock = "SELECT value FROM meta WHERE name = ?"
        builder.state.clock = try String.fetchOne(db, sql: clock, arguments: [AgeClockRecord.name])
            .flatMap(AgeClockRecord.init(text:))
        return builder
    }
}
