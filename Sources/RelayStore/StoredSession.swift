internal import GRDB
internal import RelayCore
internal import RelayProtocol

/// The row of a session, as far as a commit or a page needs it.
struct StoredSession {
    let number: Int64
    let seq: Int64
    let hostSeq: Int64
    /// As it stands in the row, well spelled or not.
    let hostName: String
    /// Nothing but its place is left.
    let isRemoved: Bool

    var host: HostID? { HostID(hostName) }

    init?(_ key: SessionKey, in db: Database) throws {
        let query = try db.cachedStatement(
            sql: "SELECT number, seq, host_seq, host, is_removed FROM sessions WHERE workspace = ? AND session = ?")
        guard let row = try Row.fetchOne(query, arguments: [key.workspace.rawValue, key.session.rawValue]) else { return nil }
        number = row[0]
        seq = row[1]
        hostSeq = row[2]
        hostName = row[3]
        isRemoved = row[4]
    }
}
