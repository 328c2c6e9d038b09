package import RelayProtocol

/// The last record of a workspace's audit log. Somebody who keeps it elsewhere can check later that nothing before it was touched.
package struct AuditHead: Sendable, Equatable {
    package let workspace: WorkspaceID
    /// 0 before the first record.
    package let n: Int64
    /// 64 hexadecimal digits.
    package let hash: String

    package init(workspace: WorkspaceID, n: Int64, hash: String) {
        self.workspace = workspace
        self.n = n
        self.hash = hash
    }
}
