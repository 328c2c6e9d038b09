internal import Crypto
package import RelayProtocol

/// The last record of a workspace's audit log. Whoever keeps it elsewhere can tell later that nothing before it was touched.
package struct AuditHead: Sendable, Equatable {
    package let workspace: WorkspaceID
    /// 0 before the first record.
    package let n: Int64
    /// 64 hexadecimal digits.
    package let hash: String

    init(workspace: WorkspaceID, n: Int64, hash: String) {
        self.workspace = workspace
        self.n = n
        self.hash = hash
    }

    /// Before the first record.
    static func start(of workspace: WorkspaceID) -> Self {
        AuditHead(workspace: workspace, n: 0, hash: String(repeating: "0", count: 64))
    }

    /// The hash of a record: `bare` is its line without it.
    static func hash(of bare: some Sequence<UInt8>, after previous: String) -> String {
        var hash = SHA256()
        hash.update(previous.utf8)
        hash.update(bare)
        return Crypto.hex(hash.finish())
    }
}
