internal import GRDB

/// The row of an approval, checked.
struct StoredApproval {
    let name: String
    let record: [UInt8]
    let isIntact: Bool

    /// `row` has `SQLiteStore.approvalColumns` from `column` on.
    init(_ row: Row, from column: Int) {
        name = row[column]
        record = row[column + 1]
        let checksum = RowChecksum(
            approval: name, session: row[column + 2], seq: row[column + 3], stage: row[column + 4],
            resolvedAt: row[column + 5], record: record)
        isIntact = checksum.matches(row[column + 6])
    }
}

extension SQLiteStore {
    static let approvalColumns = """
        approvals.approval, approvals.record, approvals.session, approvals.seq, approvals.stage, approvals.resolved_at, \
        approvals.checksum
        """
}
