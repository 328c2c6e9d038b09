package import RelayCore
internal import RelayModel
package import RelayProtocol

/// Checks a stored audit log: its chain, and that it agrees with the other tables. The store passes the rows, those of approvals
/// first.
package struct AuditExamination {
    /// A workspace's name, and the number of its audit records.
    package typealias Workspace = (name: String, audited: Int64)

    private var verifier: AuditVerifier
    /// Workspaces by their number in the store.
    private let workspaces: [Int64: Workspace]
    private var unrecorded: [AuditedApproval: Decision] = [:]
    /// Number of the last record seen of each workspace.
    private var last: [Int64: Int64] = [:]

    package init(wanting heads: [String], of workspaces: [Int64: Workspace]) {
        verifier = AuditVerifier(wanting: heads)
        self.workspaces = workspaces
    }

    /// Adds an approval. If it has a decision, that needs a record.
    package mutating func add(_ stored: StoredApproval, _ key: AuditedApproval) throws(WireError) {
        if !stored.isIntact {
            verifier.fault("approval \(key.workspace)/\(key.session)/\(key.approval) \(DamagedRecord.changed)")
        }
        if let decision = try Approval(stored: stored.record).decision { unrecorded[key] = decision }
    }

    /// Adds a record. Called in the order of `workspace` (its number) and `n`.
    package mutating func add(_ bytes: [UInt8], workspace number: Int64, n: Int64) {
        let workspace = workspaces[number]
        let place = "row \(n) of \(workspace?.name ?? "no workspace")"
        last[number] = n
        guard let line = verifier.take(bytes, at: place) else { return }
        if workspace?.name != line.workspace.rawValue || line.n != n {
            verifier.fault("\(place) was moved: its line says record \(line.n) of workspace \(line.workspace)")
        }
        if let decided = line.decision, unrecorded[decided.key] == decided.decision { unrecorded[decided.key] = nil }
    }

    /// Called after all rows. If an exported file is named, its lines must be the first stored lines; `stored` returns one of them
    /// by the number of its workspace.
    package consuming func finish(
        comparing file: String?, stored: (_ workspace: Int64, _ n: Int64) throws -> [UInt8]?
    ) throws -> AuditReport {
        for (number, workspace) in workspaces.sorted(by: { $0.key < $1.key })
        where workspace.audited != last[number, default: 0] {
            verifier.fault(
                "row \(last[number, default: 0]) of \(workspace.name) is the last, but there were \(workspace.audited): "
                    + "the end was cut off")
        }
        for approval in unrecorded.keys.map({ "\($0.workspace)/\($0.session)/\($0.approval)" }).sorted() {
            verifier.fault("approval \(approval) has a decision that no record has")
        }
        if let file {
            for fault in try faults(of: file, stored) { verifier.fault("\(file): \(fault)") }
        }
        return verifier.finish()
    }

    private func faults(of file: String, _ stored: (Int64, Int64) throws -> [UInt8]?) throws -> [String] {
        let numbers = Dictionary(uniqueKeysWithValues: workspaces.map { ($0.value.name, $0.key) })
        var ofFile = AuditVerifier(wanting: [])
        var differences: [String] = []
        try AuditFile.forEachLine(of: file) { bytes, number in
            guard let line = ofFile.take(bytes, at: "line \(number)") else { return }
            let workspace = numbers[line.workspace.rawValue]
            let held = try line.n <= EventKey.seqMax ? workspace.flatMap { try stored($0, line.n) } : nil
            if held == nil {
                differences.append("line \(number) has a record that the data does not have: the end of the data was cut off")
            } else if held != bytes, held.map(AuditLine.spelledOut) != bytes {
                differences.append("line \(number) is another than record \(line.n) of workspace \(line.workspace) in the data")
            }
        }
        return ofFile.finish().faults + differences
    }
}
