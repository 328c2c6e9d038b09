package import RelayCore
package import RelayModel
internal import RelayProtocol

/// A session's row, checked: its state, and the position from which its log would continue if it were removed.
package struct StoredPlace {
    package let place: RemovedSession
    let state: [UInt8]
    let isRemoved: Bool
    let isIntact: Bool

    /// Nil if the host's name is invalid.
    package init?(
        of key: SessionKey, host: String, seq: Int64, hostSeq: Int64, state: [UInt8], isRemoved: Bool, checksum: Int64?
    ) {
        guard let hostID = HostID(host) else { return nil }
        (self.state, self.isRemoved) = (state, isRemoved)
        let written = RowChecksum(
            session: key, host: host, seq: seq, hostSeq: hostSeq, state: state, isRemoved: isRemoved)
        isIntact = written.matches(checksum)
        place = RemovedSession(host: hostID, seq: seq, hostSeq: hostSeq, usage: isRemoved && isIntact ? state : [])
    }
}
