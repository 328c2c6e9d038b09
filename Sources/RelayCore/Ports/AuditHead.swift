package import RelayProtocol

/// The last record of a workspace's audit log. If it is also kept elsewhere, it proves later that no earlier record was changed.
package struct AuditHead: Sendable, Equatable {
    package let workspace: WorkspaceID
    /// Number of the record; 0 before the first.
    package let n: Int64
    /// The record's hash, as 64 hexadecimal digits.
    package let hash: String

    package init(workspace: WorkspaceID, n: Int64, hash: String) {
        self.workspace = workspace
        self.n = n
        self.hash = hash
    }
}
