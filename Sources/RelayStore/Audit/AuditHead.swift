internal import HeliographCrypto
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

    /// After a record that is stored: its hash is the last that its line says. Where the disk has left no hash there, the next record
    /// is chained to what there is: it can still be read, and does not follow.
    init(workspace: WorkspaceID, n: Int64, line: [UInt8]) {
        let digits = line.dropLast(2).suffix(64)
        let isHash = digits.count == 64 && digits.allSatisfy { Self.digits.contains($0) }
        self.init(
            workspace: workspace, n: n, hash: isHash ? String(decoding: digits, as: UTF8.self) : Self.hash(of: line, after: ""))
    }

    private static let digits = "0123456789abcdef".utf8

    /// Before the first record.
    static func start(of workspace: WorkspaceID) -> Self {
        AuditHead(workspace: workspace, n: 0, hash: String(repeating: "0", count: 64))
    }

    /// The hash of a record: `bare` is its line without it.
    static func hash(of bare: [UInt8], after previous: String) -> String {
        var hash = SHA256()
        hash.update(previous)
        hash.update(bare)
        return Crypto.hex(hash.finish())
    }
}
