internal import HeliographCrypto
package import RelayCore
package import RelayProtocol

extension AuditHead {
    /// The head after a stored record: its hash is the last field of the line. If the disk has damaged it, the next record is
    /// chained to what is there: the log stays readable, and the check reports a broken chain.
    package init(workspace: WorkspaceID, n: Int64, line: [UInt8]) {
        let digits = line.dropLast(2).suffix(64)
        let isHash = digits.count == 64 && digits.allSatisfy { Self.digits.contains($0) }
        self.init(
            workspace: workspace, n: n, hash: isHash ? String(decoding: digits, as: UTF8.self) : Self.hash(of: line, after: ""))
    }

    private static let digits = "0123456789abcdef".utf8

    /// The head before the first record.
    package static func start(of workspace: WorkspaceID) -> Self {
        AuditHead(workspace: workspace, n: 0, hash: String(repeating: "0", count: 64))
    }

    /// The hash of a record. `bare`: its line without the hash.
    static func hash(of bare: [UInt8], after previous: String) -> String {
        var hash = SHA256()
        hash.update(previous)
        hash.update(bare)
        return Crypto.hex(hash.finish())
    }
}
