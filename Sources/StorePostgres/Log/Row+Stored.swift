internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayStore

extension StoredApproval {
    /// Selected columns of `approvals AS a`.
    static let columns = "a.approval, a.record, a.session, a.seq, a.stage, a.resolved_at, a.checksum"

    /// `row` has `columns` from index `column` on.
    init(_ row: PostgresRows.Row, from column: Int32) {
        self.init(
            name: row.text(column), record: row.bytes(column + 1), session: row.integer(column + 2),
            seq: row.integer(column + 3),
            stage: row.text(column + 4), resolvedAt: row.optionalInteger(column + 5), checksum: row.optionalInteger(column + 6))
    }
}

extension StoredPlace {
    /// Selected columns of `sessions AS s`.
    static let columns = "s.host, s.seq, s.host_seq, s.state, s.is_removed, s.checksum"

    /// `row` has `columns` from index `column` on. Nil if the host's name is invalid.
    init?(_ row: PostgresRows.Row, of key: SessionKey, from column: Int32) {
        self.init(
            of: key, host: row.text(column), seq: row.integer(column + 1), hostSeq: row.integer(column + 2),
            state: row.bytes(column + 3), isRemoved: row.bool(column + 4), checksum: row.optionalInteger(column + 5))
    }
}

extension RowChecksum {
    /// True if an event is unchanged: `row` has its `kind`, `at`, `bytes` and `checksum` from index `column` on.
    static func matches(_ row: PostgresRows.Row, from column: Int32, session: Int64, seq: Int64) -> Bool {
        let id = EventKey.id(session: session, seq: seq)
        let written = unsafe row.withBytes(column) { kind in
            unsafe row.withBytes(column + 2) { bytes in
                unsafe RowChecksum(id: id, kind: kind, at: row.integer(column + 1), bytes: bytes)
            }
        }
        return written.matches(row.optionalInteger(column + 3))
    }
}
