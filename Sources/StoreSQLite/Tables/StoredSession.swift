internal import GRDB
internal import RelayModel
internal import RelayProtocol

/// The part of a session's row that a commit or a page needs.
struct StoredSession {
    let number: Int64
    let seq: Int64
    let hostSeq: Int64
    /// The host's name as stored, valid or not.
    let hostName: String
    /// True if only the session's position is left.
    let isRemoved: Bool

    var host: HostID? { HostID(hostName) }

    init?(_ key: SessionKey, in db: Database) throws {
        let query = try db.cachedStatement(
            sql: "SELECT number, seq, host_seq, host, is_removed FROM sessions WHERE workspace = ? AND session = ?")
        let found = try query.first({
            $0.add(key.workspace.rawValue)
            $0.add(key.session.rawValue)
        }) { StoredSession($0) }
        guard let found else { return nil }
        self = found
    }

    private init(_ columns: SQLColumns) {
        number = columns.integer(0)
        seq = columns.integer(1)
        hostSeq = columns.integer(2)
        hostName = columns.text(3)
        isRemoved = columns.integer(4) != 0
    }
}
