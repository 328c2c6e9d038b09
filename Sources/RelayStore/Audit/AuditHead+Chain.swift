internal import HeliographCrypto
package import RelayCore
package import RelayProtocol

extension AuditHead {
    /// After a record that is stored: its hash is the last that its line says. Where the disk has left no hash there, the next record
    /// is chained to what there is: it can still be read, and does not follow.
    package init(workspace: WorkspaceID, n: Int64, line: [UInt8]) {
        let digits = line.dropLast(2).suffix(64)
        let isHash = digits.count == 64 && digits.allSatisfy { Self.digits.contains($0) }
        self.init(
            workspace: workspace, n: n, hash: isHash ? String(decoding: digits, as: UTF8.self) : Self.hash(of: line, after: ""))
    }

    private static let digits = "0123456789abcdef".utf8

    /// Before the first record.
    package static func start(of workspace: WorkspaceID) -> Self {
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
