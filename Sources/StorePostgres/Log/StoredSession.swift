internal import HeliographPostgreSQL
internal import RelayModel
internal import RelayProtocol

/// The part of a session's row that a commit needs.
struct StoredSession: Sendable {
    let workspace: Int32
    let number: Int32
    let seq: Int64
    let hostSeq: Int64
    /// The host's name as stored, valid or not.
    let hostName: String
    /// True if only the session's position is left.
    let isRemoved: Bool

    var host: HostID? { HostID(hostName) }

    static func find(_ keys: [SessionKey], on connection: PostgresConnection) throws -> [SessionKey: StoredSession] {
        guard !keys.isEmpty else { return [:] }
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT w.workspace, s.session, s.workspace, s.number, s.seq, s.host_seq, s.host, s.is_removed
                FROM unnest($1::text[], $2::text[]) AS wanted (workspace, session)
                JOIN workspaces AS w ON w.workspace = wanted.workspace
                JOIN sessions AS s ON s.workspace = w.number AND s.session = wanted.session
                """, .texts(keys.map(\.workspace.rawValue)), .texts(keys.map(\.session.rawValue))),
            within: PostgresDatabase.askingMax)
        var found: [SessionKey: StoredSession] = [:]
        for row in rows {
            let key = SessionKey(workspace: try Stored.identifier(row.text(0)), session: try Stored.identifier(row.text(1)))
            found[key] = StoredSession(
                workspace: Int32(row.integer(2)), number: Int32(row.integer(3)), seq: row.integer(4), hostSeq: row.integer(5),
                hostName: row.text(6), isRemoved: row.bool(7))
        }
        return found
    }
}

extension CommitMemory.Session {
    init(_ stored: StoredSession) {
        self.init(workspace: stored.workspace, number: stored.number, host: stored.host, seq: stored.seq)
    }
}
