package import RelayCore
internal import RelayProtocol
internal import RelayStore
internal import StorePostgres
internal import StoreSQLite

/// Operations on a relay's data file as a whole.
package struct Storage: Sendable {
    let directory: String

    /// `directory`: the relay's data directory. Opens and creates nothing yet.
    package init(directory: String) { self.directory = directory }

    /// True if there are traces of a relay's data here. Opens and creates nothing.
    static func hasRemains(in directory: String) -> Bool {
        // True also if the database's address cannot be read.
        let isInDatabase = (try? StoreAddressFile.read(in: directory) != nil) ?? true
        return isInDatabase || DataDirectory.hasRemains(at: directory)
    }

    /// True if a relay of this machine runs there, even if its socket is gone. Creates nothing.
    static func isInUse(_ directory: String) -> Bool { DataDirectory.isInUse(at: directory) }

    /// The data directory of a relay that has data, there or in a database; throws if it has none.
    var folder: String {
        get throws {
            try StoreAddressFile.read(in: directory) == nil
                ? DataDirectory(existing: directory).path : DataDirectory(path: directory).path
        }
    }

    /// Throws if the data is in a database: then there is no file to replace or rename.
    package func refuseDatabase() throws {
        guard let address = try StoreAddressFile.read(in: directory) else { return }
        throw ServerError(
            .settings,
            """
            The relay of \(directory) keeps its data in \(address). Stop every relay on it and restore it there, by what runs the database, \
            from a base backup and archived WAL; then `heliograph cluster new-epoch`. A data file is put there by `heliograph migrate`; see \
            Operations
            """)
    }

    /// Makes the next relay begin another epoch, for an operator who has restored a database. Throws if the data is in a file, for
    /// which this is detected automatically, or while a relay uses the database.
    package func beginNewEpoch() throws -> String {
        guard let address = try StoreAddressFile.read(in: directory) else {
            // Throws first if there is no relay at all.
            _ = try DataDirectory(existing: directory)
            throw ServerError(
                .settings,
                "The relay of \(directory) keeps its data in a file: `heliograph restore` puts a backup in its place, in another epoch"
            )
        }
        try NewEpoch.begin(at: address)
        return address
    }

    /// Creates the data directory, and those above it, if there is none.
    func makeFolder() throws -> String { try DataDirectory(path: directory).path }

    /// Stores a revocation for the next process that opens the data file, when that cannot be opened now. False if there is no
    /// space for it.
    func revokeLater(_ revocation: TokenRevocation) throws -> Bool {
        guard try StoreAddressFile.read(in: directory) == nil else { return false }
        return try DataDirectory(existing: directory).revokeLater(revocation)
    }

    /// Number of revocations in force that wait for space in the data file; 0 if the data is in a database.
    var waitingRevocations: Int {
        get throws {
            try StoreAddressFile.read(in: directory) == nil ? DataDirectory(existing: directory).waitingRevocations : 0
        }
    }

    /// Copies the data file, whether the relay runs or not, with the key that browsers subscribed with; returns the copy's size in
    /// bytes.
    package func backUp(to file: String, replacing: Bool) throws -> Int64 {
        try withStore { store in
            let key = try WebPushIdentity.storedKey(in: store.folder)
            return try store.upkeep.backUp(
                to: file, replacing: replacing, with: key.map { [WebPushIdentity.fileName: $0] } ?? [:])
        }
    }

    /// For a command that is ended from outside: removes the unfinished files of this process's `backUp` or `restore`.
    package func removeDrafts(ofBackup file: String? = nil) { Draft.remove(for: file ?? directory + "/heliograph.sqlite") }

    /// Result of a restore.
    package struct Restored {
        /// The old data file's new name; nil if there was none.
        package let kept: String?
        /// Ids of tokens that were revoked after the backup was made, and stay revoked.
        package let stillRevoked: [String]
    }

    /// A token that may have been revoked since the backup was made.
    package struct Returning {
        package let id: String
        package let role: String
        package let name: String

        fileprivate init(_ token: ReturningToken) { (id, role, name) = (token.id, token.role, token.name) }
    }

    /// Replaces the data file with a backup. `mayComeBack` is called before anything is changed; `restore` throws if it returns
    /// false.
    package func restore(_ file: String, replacing: Bool, mayComeBack: ([Returning]) -> Bool) throws -> Restored {
        try refuseDatabase()
        let restored = try DataDirectory(path: directory).restore(file, replacing: replacing) {
            mayComeBack($0.map(Returning.init))
        }
        if let key = restored.texts[WebPushIdentity.fileName] { try WebPushIdentity.restore(key, in: folder) }
        if !restored.stillRevoked.isEmpty {
            let store = try SQLiteStore(DataDirectory(existing: directory), for: .commandLine)
            try store.auditRevocations(of: restored.stillRevoked)
            try store.close()
        }
        return Restored(kept: restored.kept, stillRevoked: restored.stillRevoked)
    }

    /// Renames the data file, or its remains. Returns its new name, nil if there was none.
    package func setAside() throws -> String? {
        try refuseDatabase()
        return try DataDirectory(path: directory).setAside()
    }

    /// Lets the next start continue with a data file that lacks events of the last relay. `mayComeBack` is called before anything
    /// is changed; `acceptDataFile` throws if it returns false.
    package func acceptDataFile(mayComeBack: ([Returning]) -> Bool) throws {
        try refuseDatabase()
        try DataDirectory(path: directory).acceptDataFile { mayComeBack($0.map(Returning.init)) }
    }

    /// Calls `write` with each line of the audit log, without its line break. `workspace`: name or id of one; nil for all.
    package func exportAudit(of workspace: String?, _ write: ([UInt8]) throws -> Void) throws {
        try withStore { store in
            let named = try workspace.map { name in
                let standing = try store.credentials.workspaces()
                // The log of a removed workspace is kept, under its id.
                let ids = try standing.map(\.id) + store.workspaces.removedWorkspaces()
                guard let known = standing.first(where: { $0.name == name })?.id ?? ids.first(where: { $0.rawValue == name })
                else { throw ServerError(.workspace, "There is no workspace \(name).") }
                return known
            }
            // Errors of `write` are not the store's, and are rethrown unchanged.
            var failure: (any Error)?
            try store.audit.export(of: named) { line in
                do { try write(line) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
        }
    }

    /// Checks the audit log in the data file and, if a file is named, that it was exported from there.
    package func verifyAudit(against file: String?, heads: [String]) throws -> AuditReport {
        try withStore { try $0.audit.verify(against: file, heads: heads) }
    }

    /// Checks an exported audit log on its own.
    package static func verifyAudit(inFile file: String, heads: [String]) throws -> AuditReport {
        try AuditFile.verify(file, heads: heads)
    }

    /// Verifies the decisions and commands in the data file's audit log with the devices' keys that the files list.
    package func verifySignatures(devices files: [String]) throws -> SignatureReport {
        var verifier = SignatureVerifier(try SigningKeys(files: files))
        var number = 0
        try exportAudit(of: nil) { line in
            number += 1
            verifier.take(line, at: "record \(number) of the export")
        }
        return verifier.finish()
    }

    /// Verifies the signatures in an exported audit log.
    package static func verifySignatures(inFile file: String, devices files: [String]) throws -> SignatureReport {
        var verifier = SignatureVerifier(try SigningKeys(files: files))
        try AuditFile.forEachLine(of: file) { verifier.take($0, at: "line \($1)") }
        return verifier.finish()
    }

    private func withStore<Value>(_ body: (OpenStore) throws -> Value) throws -> Value {
        let store = try OpenStore(forCommandsInExisting: directory)
        let value = try body(store)
        try store.close()
        return value
    }

}
