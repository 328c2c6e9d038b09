internal import GRDB
internal import RelayCore
internal import RelayProtocol

/// The row of a session, checked: where it would go on if it were removed.
struct StoredPlace {
    static let columns = "host, seq, host_seq, state, is_removed, checksum"

    let place: RemovedSession
    let state: [UInt8]
    let isRemoved: Bool
    let isIntact: Bool

    /// `row` has `columns` from `column` on. Nil where the host's name is misspelled.
    init?(_ row: Row, of key: SessionKey, from column: Int) {
        guard let host = HostID(row[column]) else { return nil }
        let (seq, hostSeq): (Int64, Int64) = (row[column + 1], row[column + 2])
        state = row[column + 3]
        isRemoved = row[column + 4]
        let checksum = RowChecksum(
            session: key, host: host.rawValue, seq: seq, hostSeq: hostSeq, state: state, isRemoved: isRemoved)
        isIntact = checksum.matches(row[column + 5])
        place = RemovedSession(host: host, seq: seq, hostSeq: hostSeq, usage: isRemoved && isIntact ? state : [])
    }
}
