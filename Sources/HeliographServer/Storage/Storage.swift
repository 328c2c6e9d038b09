package import RelayCore
internal import RelayProtocol
internal import RelayStore
internal import StorePostgres
internal import StoreSQLite

/// Commands on a relay's data file as a whole.
package struct Storage: Sendable {
    let directory: String

    /// `directory` is the relay's data directory. Nothing is opened or made yet.
    package init(directory: String) { self.directory = directory }

    /// True if a relay ever kept its data here, as far as the remains show. Opens and creates nothing.
    static func hasRemains(in directory: String) -> Bool {
        // One whose address cannot be read is one, too.
        let isInDatabase = (try? StoreAddressFile.read(in: directory) != nil) ?? true
        return isInDatabase || DataDirectory.hasRemains(at: directory)
    }

    /// True if a relay of this machine works there, even if its socket is gone. Creates nothing.
    static func isInUse(_ directory: String) -> Bool { DataDirectory.isInUse(at: directory) }

    /// The data directory of a relay that has data, there or in a database; throws if it has none.
    var folder: String {
        get throws {
            try StoreAddressFile.read(in: directory) == nil
                ? DataDirectory(existing: directory).path : DataDirectory(path: directory).path
        }
    }

    /// Throws if the data is in a database: there is no file that could be replaced, or taken out of the way.
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

    /// For the operator who has restored a database: the next relay begins another epoch. Throws if the data is in a file, which shows
    /// that by itself, and while a relay uses the database.
    package func beginNewEpoch() throws -> String {
        guard let address = try StoreAddressFile.read(in: directory) else {
            // Throws if there is no relay at all.
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

    /// Notes a revocation for the next process that opens the data file, while nothing can be opened. False if there is no room for it.
    func revokeLater(_ revocation: TokenRevocation) throws -> Bool {
        guard try StoreAddressFile.read(in: directory) == nil else { return false }
        return try DataDirectory(existing: directory).revokeLater(revocation)
    }

    /// Number of revocations in force that wait for room in the data file; 0 if the data is in a database.
    var waitingRevocations: Int {
        get throws {
            try StoreAddressFile.read(in: directory) == nil ? DataDirectory(existing: directory).waitingRevocations : 0
        }
    }

    /// Copies the data file while the relay runs or not, with the key that browsers subscribed with; hands back the copy's size in bytes.
    package func backUp(to file: String, replacing: Bool) throws -> Int64 {
        try withStore { store in
            let key = try WebPushIdentity.storedKey(in: store.folder)
            return try store.upkeep.backUp(
                to: file, replacing: replacing, with: key.map { [WebPushIdentity.fileName: $0] } ?? [:])
        }
    }

    /// For a command that is ended from outside: removes what `backUp` or `restore` of this process had begun to write.
    package func removeDrafts(ofBackup file: String? = nil) { Draft.remove(for: file ?? directory + "/heliograph.sqlite") }

    /// Result of a restore.
    package struct Restored {
        /// The old data file's new name; nil if there was none.
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

    /// Puts a backup in place. `mayComeBack` is called before anything is changed; `restore` throws if it returns false.
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

    /// Takes the data file, or its remains, out of the way. Returns its new name, nil if there was none.
    package func setAside() throws -> String? {
        try refuseDatabase()
        return try DataDirectory(path: directory).setAside()
    }

    /// Lets the next start go on with a data file that lacks events of the last relay. `mayComeBack` is called before anything is
    /// changed; `acceptDataFile` throws if it returns false.
    package func acceptDataFile(mayComeBack: ([Returning]) -> Bool) throws {
        try refuseDatabase()
        try DataDirectory(path: directory).acceptDataFile { mayComeBack($0.map(Returning.init)) }
    }

    /// Calls `write` with each line of the audit log, without its end; nil for every workspace, else one's name or id.
    package func exportAudit(of workspace: String?, _ write: ([UInt8]) throws -> Void) throws {
        try withStore { store in
            let named = try workspace.map { name in
                let standing = try store.credentials.workspaces()
                // The log of one that was removed stays, under its id.
                let ids = try standing.map(\.id) + store.workspaces.removedWorkspaces()
                guard let known = standing.first(where: { $0.name == name })?.id ?? ids.first(where: { $0.rawValue == name })
                else { throw ServerError(.workspace, "There is no workspace \(name).") }
                return known
            }
            // Errors of `write` are not the store's, and are rethrown as they are.
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

    /// Checks an exported audit log by itself.
    package static func verifyAudit(inFile file: String, heads: [String]) throws -> AuditReport {
        try AuditFile.verify(file, heads: heads)
    }

    /// Proves the decisions and commands in the data file's audit log by the devices that the files list.
    package func verifySignatures(devices files: [String]) throws -> SignatureReport {
        var verifier = SignatureVerifier(try SigningKeys(files: files))
        var number = 0
        try exportAudit(of: nil) { line in
            number += 1
            verifier.take(line, at: "record \(number) of the export")
        }
        return verifier.finish()
    }

    /// … in an exported audit log.
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
