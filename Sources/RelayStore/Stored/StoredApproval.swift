package import RelayCore
internal import RelayModel
internal import RelayProtocol

/// An approval's row, with the result of its check.
package struct StoredApproval {
    package let name: String
    package let record: [UInt8]
    package let isIntact: Bool

    /// `session`: its number in the store.
    package init(
        name: String, record: [UInt8], session: Int64, seq: Int64, stage: String, resolvedAt: Int64?, checksum: Int64?
    ) {
        (self.name, self.record) = (name, record)
        let written = RowChecksum(
            approval: name, session: session, seq: seq, stage: stage, resolvedAt: resolvedAt, record: record)
        isIntact = written.matches(checksum)
    }
}

extension ApprovalPage {
    /// `state`: the encoded state of its session.
    package mutating func add(_ stored: StoredApproval, state: [UInt8]) {
        guard stored.isIntact else { return }
        add(try? Approval(stored: stored.record), in: (try? SessionState(stored: state))?.summary.place)
    }
}
