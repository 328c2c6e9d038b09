internal import HeliographPlatform
internal import RelayCore
internal import RelayProtocol
internal import StorePostgres
internal import StoreSQLite

/// A store that is open, as the ports to it. Which store that is, is said here; what only a data file can do is `Storage`.
struct OpenStore: OpenData {
    /// The data directory. Beside the data it has what a relay on this machine needs: its address, sockets, keys, profiles.
    let folder: String
    let log: any SessionLog & Sendable
    let credentials: any CredentialStore
    let workspaces: any WorkspaceStore
    let pictures: any PictureStore
    let addresses: (any AddressStore)?
    let audit: any AuditLog
    let upkeep: any StoreUpkeep
    /// Nil where they are files in the folder.
    let secrets: (any SecretStore)?
    private let store: Store

    private enum Store: Sendable {
        case file(SQLiteStore)
        /// With the lock of the directory, which only one relay of this machine may use; nil for the command line.
        case database(PostgresStore, DatabaseFolder?)
    }

    /// Only one relay at a time has it, until it is closed. `address` is a database's, nil for a file in the directory. While another
    /// relay holds the database, `isWanted` is asked again and again; throws where it says no.
    init(forRelayIn directory: String, at address: String?, isWanted: @escaping @Sendable () -> Bool) throws {
        guard let address else {
            let noted = try StoreAddressFile.read(in: directory)
            let directory = try DataDirectory(path: directory)
            if let noted {
                throw ServerError(
                    .settings,
                    "The relay of \(directory.path) keeps its data in \(noted): say so (\(Settings.named("store").flag)), or remove its store.url to begin afresh"
                )
            }
            self.init(directory, try SQLiteStore(directory, for: .relay(try directory.lock())))
            return
        }
        let folder = try DatabaseFolder(directory, besideDatabaseAt: address)
        let store = try PostgresStore(address, for: .relay(isWanted: isWanted))
        try folder.note()
        self.init(folder, store)
    }

    private init(_ folder: DatabaseFolder, _ store: PostgresStore) { self.init(folder.directory, store, folder) }

    /// Beside a relay that may run or not, in this folder or, where `address` names a database, elsewhere.
    init(forCommandsIn directory: String, at address: String?) throws {
        guard let address else {
            try self.init(forCommandsIn: directory)
            return
        }
        guard let address = StoreAddress.read(address) else {
            throw ServerError(.settings, "\(Settings.named("store").flag) takes \(StoreAddress.takes).")
        }
        let directory = try DataDirectory(path: directory)
        try DatabaseFolder.refuseFile(in: directory, besideDatabaseAt: address)
        self.init(directory, try PostgresStore(address, for: .commandLine), nil)
    }

    /// Beside a relay that may run or not.
    init(forCommandsIn directory: String) throws {
        if let address = try StoreAddressFile.read(in: directory) {
            self.init(try DataDirectory(path: directory), try PostgresStore(address, for: .commandLine), nil)
            return
        }
        let directory = try DataDirectory(path: directory)
        self.init(directory, try SQLiteStore(directory, for: .commandLine))
    }

    /// The same where there is a relay's data; throws where there is none.
    init(forCommandsInExisting directory: String) throws {
        guard try StoreAddressFile.read(in: directory) == nil else {
            try self.init(forCommandsIn: directory)
            return
        }
        let directory = try DataDirectory(existing: directory)
        self.init(directory, try SQLiteStore(directory, for: .commandLine))
    }

    private init(_ directory: DataDirectory, _ store: SQLiteStore) {
        folder = directory.path
        (log, credentials, pictures) = (store.log, store.credentials, store.pictures)
        (workspaces, audit, upkeep, secrets, addresses) = (store.credentials, store.audit, store.upkeep, nil, nil)
        self.store = .file(store)
    }

    private init(_ directory: DataDirectory, _ store: PostgresStore, _ database: DatabaseFolder?) {
        folder = directory.path
        (log, credentials, pictures) = (store.log, store.credentials, store.pictures)
        (workspaces, audit, upkeep, secrets) = (store.credentials, store.audit, store.upkeep, store.secrets)
        addresses = store.addresses
        self.store = .database(store, database)
    }

    /// As the store had them when it was opened; `first` is the first workspace.
    func epochs(first: WorkspaceID) -> Epochs {
        switch store {
        case .file: Epochs(ofLog: log.epoch, first: first)
        case .database(let store, _): store.log.epochs(first: first)
        }
    }

    /// Called once, from any thread, when another relay may have the data by now: what this one knows may be old. Never for a file.
    func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        if case .database(let store, _) = store { store.whenLost(body) }
    }

    /// Called from any thread, soon after the start and whenever somebody may have changed tokens or workspaces on another machine; at most
    /// two seconds after. Never for a file.
    func whenEntrantsChanged(_ body: @escaping @Sendable () -> Void) {
        if case .database(let store, _) = store { store.whenEntrantsChanged(body) }
    }

    /// Called from any thread, soon after the start and whenever it is another. Never for a file.
    func whenDurabilityChanged(_ body: @escaping @Sendable (DatabaseDurability) -> Void) {
        guard case .database(let store, _) = store else { return }
        store.whenDurabilityChanged { body(DatabaseDurability($0)) }
    }

    /// Whether a relay holds the data that may be of another machine, and takes up by itself what changes. Never for a file.
    func isHeldElsewhere() throws -> Bool {
        if case .database(let store, _) = store { try store.isHeld() } else { false }
    }

    /// The schema of the database; nil for a file.
    var schema: String? { if case .database(let store, _) = store { store.schema } else { nil } }

    /// Whether a relay of this machine is at work in the folder, also where its socket is gone.
    var isFolderInUse: Bool { Storage.isInUse(folder) }

    func close() throws {
        switch store {
        case .file(let store): try store.close()
        case .database(let store, _): try store.close()
        }
    }

    /// Whether there is no relay's data where it was looked for.
    static func isAbsent(_ error: any Error) -> Bool {
        let cause = (error as? LogError)?.underlying ?? error
        return (cause as? SQLiteStoreError)?.code == .absent
    }

    /// Whether opening or using it failed for what the machine did not give: room, rights, a sound disk, a database.
    static func isFaultOfMachine(_ error: any Error) -> Bool {
        let cause = (error as? LogError)?.underlying ?? error
        if let error = cause as? SQLiteStoreError {
            // A folder that the system does not let it make or look at.
            let isRefused = (error.underlying as? FolderError)?.number != nil
            return isRefused || [.full, .readOnly, .io].contains(error.code)
        }
        guard let error = error as? LogError else { return false }
        return switch error.code {
        case .unreachable(let isPassing): isPassing
        case .full, .inDoubt: true
        case .conflict, .unfit, .damaged, .fenced: false
        }
    }
}
