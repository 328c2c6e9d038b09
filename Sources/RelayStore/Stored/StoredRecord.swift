internal import RelayCore
internal import RelayModel
internal import RelayProtocol

/// The row of a push planner's record, with the result of its check.
struct StoredRecord {
    let record: PushRecord
    let isIntact: Bool

    /// Nil if its names are invalid.
    init?(workspace: String, kind: String, name: String, bytes: [UInt8], checksum: Int64?) {
        guard let workspaceID = WorkspaceID(workspace), let known = PushRecord.Kind(rawValue: kind) else { return nil }
        record = PushRecord(workspace: workspaceID, kind: known, name: name, bytes: bytes)
        isIntact = RowChecksum(record: name, kind: kind, workspace: workspace, bytes: bytes).matches(checksum)
    }
}
