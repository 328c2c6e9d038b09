internal import GRDB
internal import RelayCore
internal import RelayProtocol

/// The row of a session, as far as a commit or a page needs it.
struct StoredSession {
    let number: Int64
    let seq: Int64
    let host: HostID?
    /// Nothing but its place is left.
    let isRemoved: Bool

    init?(_ key: SessionKey, in db: Database) throws {
        let query = try db.cachedStatement(
            sql: "SELECT number, seq, host, is_removed FROM sessions WHERE workspace = ? AND session = ?")
        guard let row = try Row.fetchOne(query, arguments: [key.workspace.rawValue, key.session.rawValue]) else { return nil }
        number = row[0]
        seq = row[1]
        host = HostID(row[2])
        isRemoved = row[3]
    }
}
