internal import GRDB
internal import RelayCore
internal import RelayModel
internal import RelayStore

extension StoredApproval {
    static let columns = """
        approvals.approval, approvals.record, approvals.session, approvals.seq, approvals.stage, approvals.resolved_at, \
        approvals.checksum
        """

    /// `row` has `columns` from index `column` on.
    init(_ row: Row, from column: Int) {
        self.init(
            name: row[column], record: row[column + 1], session: row[column + 2], seq: row[column + 3], stage: row[column + 4],
            resolvedAt: row[column + 5], checksum: row[column + 6])
    }
}

extension StoredPlace {
    static let columns = "host, seq, host_seq, state, is_removed, checksum"

    /// `row` has `columns` from index `column` on. Nil if the host's name is invalid.
    init?(_ row: Row, of key: SessionKey, from column: Int) {
        self.init(
            of: key, host: row[column], seq: row[column + 1], hostSeq: row[column + 2], state: row[column + 3],
            isRemoved: row[column + 4], checksum: row[column + 5])
    }
}
