package import RelayProtocol
internal import RelayStore

/// What the command line does with a relay's data file as a whole.
package struct Storage {
    private let directory: String

    /// `directory` is the relay's data directory. Nothing is opened or made yet.
    package init(directory: String) { self.directory = directory }

    /// Copies the data file while the relay runs or not; hands back the copy's size in bytes.
    package func backUp(to file: String, replacing: Bool) throws -> Int64 {
        try withStore { try $0.backUp(to: file, replacing: replacing) }
    }

    /// What came of a restore.
    package struct Restored {
        /// The old data file's new name; nil where there was none.
        package let kept: String?
        /// Ids of tokens that were revoked after the backup was made, and stay so.
        package let stillRevoked: [String]
    }

    /// A token of which nothing says whether it was revoked since.
    package struct Returning {
        package let id: String
        package let role: String
        package let name: String

        fileprivate init(_ token: ReturningToken) { (id, role, name) = (token.id, token.role, token.name) }
    }

    /// Puts a backup in place. `mayComeBack` is asked before anything is changed; where it says no, `restore` throws.
    package func restore(_ file: String, replacing: Bool, mayComeBack: ([Returning]) -> Bool) throws -> Restored {
        let restored = try DataDirectory(path: directory).restore(file, replacing: replacing) {
            mayComeBack($0.map(Returning.init))
        }
        if !restored.stillRevoked.isEmpty { try withStore { try $0.auditRevocations(of: restored.stillRevoked) } }
        return Restored(kept: restored.kept, stillRevoked: restored.stillRevoked)
    }

    /// Takes the data file, or what is left of it, out of the way. Hands back its new name, nil where there was none.
    package func setAside() throws -> String? { try DataDirectory(path: directory).setAside() }

    /// Has the next start go on with a data file that lacks what the last relay had. `mayComeBack` is asked before anything is changed;
    /// where it says no, `acceptDataFile` throws.
    package func acceptDataFile(mayComeBack: ([Returning]) -> Bool) throws {
        try DataDirectory(path: directory).acceptDataFile { mayComeBack($0.map(Returning.init)) }
    }

    /// Calls `write` with each line of the audit log, without its end; nil for every workspace.
    package func exportAudit(of workspace: String?, _ write: ([UInt8]) throws -> Void) throws {
        try withStore { store in
            let named = try workspace.map { name in
                guard let known = try store.workspaces().first(where: { $0.id.rawValue == name }) else {
                    throw UnknownWorkspace(name: name)
                }
                return known.id
            }
            try store.exportAudit(of: named, write)
        }
    }

    /// Checks the audit log in the data file, and, where a file is named, that it was exported from there.
    package func verifyAudit(against file: String?, heads: [String]) throws -> AuditVerdict {
        try withStore { AuditVerdict(try $0.verifyAudit(against: file, heads: heads)) }
    }

    /// Checks an exported audit log by itself.
    package static func verifyAudit(inFile file: String, heads: [String]) throws -> AuditVerdict {
        AuditVerdict(try SQLiteStore.verifyAudit(inFile: file, heads: heads))
    }

    private func withStore<Value>(_ body: (SQLiteStore) throws -> Value) throws -> Value {
        let store = try SQLiteStore(DataDirectory(existing: directory), for: .commandLine)
        let value = try body(store)
        try store.close()
        return value
    }

    struct UnknownWorkspace: Error, CustomStringConvertible {
        let name: String
        var description: String { "There is no workspace \(name)." }
    }
}

/// What came of checking an audit log.
package struct AuditVerdict {
    /// The last record of a workspace.
    package struct Head {
        package let workspace: WorkspaceID
        package let n: Int64
        /// 64 hexadecimal digits.
        package let hash: String
    }

    package let recordCount: Int
    package let heads: [Head]
    /// Sentences that name the line; empty where nothing is wrong.
    package let faults: [String]

    init(_ report: AuditReport) {
        recordCount = report.recordCount
        heads = report.heads.map { Head(workspace: $0.workspace, n: $0.n, hash: $0.hash) }
        faults = report.faults
    }
}
