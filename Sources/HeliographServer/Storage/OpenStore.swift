internal import HeliographPlatform
internal import RelayCore
internal import RelayProtocol
internal import StorePostgres
internal import StoreSQLite

/// An open store and its ports. The kind of store is chosen here; operations for data files only are in `Storage`.
struct OpenStore: OpenData {
    /// The data directory. Besides the data it contains what a relay on this machine needs: its address, sockets, keys, profiles.
    let folder: String
    let log: any SessionLog & Sendable
    let credentials: any CredentialStore
    let workspaces: any WorkspaceStore
    let pictures: any PictureStore
    let addresses: (any AddressStore)?
    let audit: any AuditLog
    let upkeep: any StoreUpkeep
    /// Secrets in the database; nil if they are files in the folder.
    let secrets: (any SecretStore)?
    private let store: Store

    private enum Store: Sendable {
        case file(SQLiteStore)
        /// A database, with the lock of the directory, which only one relay of this machine may use; nil for the command line.
        case database(PostgresStore, DatabaseFolder?)
    }

    /// Opens the store for a relay; one relay at a time has it, until it is closed. `address`: the database's, nil for a file in
    /// the directory. While another relay owns the database, `isWanted` is called repeatedly; throws if it returns false.
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

    /// Opens the store for a command, whether a relay runs or not, in this folder or, if `address` names a database, elsewhere.
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

    /// Opens the store for a command, whether a relay runs or not.
    init(forCommandsIn directory: String) throws {
        if let address = try StoreAddressFile.read(in: directory) {
            self.init(try DataDirectory(path: directory), try PostgresStore(address, for: .commandLine), nil)
            return
        }
        let directory = try DataDirectory(path: directory)
        self.init(directory, try SQLiteStore(directory, for: .commandLine))
    }

    /// Opens the store for a command if there is a relay's data; throws if there is none.
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

    /// The epochs when the store was opened; `first` is the first workspace.
    func epochs(first: WorkspaceID) -> Epochs {
        switch store {
        case .file: Epochs(ofLog: log.epoch, first: first)
        case .database(let store, _): store.log.epochs(first: first)
        }
    }

    /// `body` is called once, on any thread, when another relay may own the data, and so this one's state may be outdated. Never
    /// for a file.
    func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        if case .database(let store, _) = store { store.whenLost(body) }
    }

    /// `body` is called, on any thread, soon after the start and within two seconds after tokens or workspaces may have changed on
    /// another machine. Never for a file.
    func whenEntrantsChanged(_ body: @escaping @Sendable () -> Void) {
        if case .database(let store, _) = store { store.whenEntrantsChanged(body) }
    }

    /// `body` is called, on any thread, soon after the start and after each change. Never for a file.
    func whenDurabilityChanged(_ body: @escaping @Sendable (DatabaseDurability) -> Void) {
        guard case .database(let store, _) = store else { return }
        store.whenDurabilityChanged { body(DatabaseDurability($0)) }
    }

    /// True if a relay, perhaps of another machine, holds the database and picks up changes by itself. False for a file.
    func isHeldElsewhere() throws -> Bool {
        if case .database(let store, _) = store { try store.isHeld() } else { false }
    }

    /// Name of the database's schema; nil for a file.
    var schema: String? { if case .database(let store, _) = store { store.schema } else { nil } }

    /// True if a relay of this machine uses the folder, even if its socket is gone.
    var isFolderInUse: Bool { Storage.isInUse(folder) }

    func close() throws {
        switch store {
        case .file(let store): try store.close()
        case .database(let store, _): try store.close()
        }
    }

    /// True if the error says that no relay's data was found.
    static func isAbsent(_ error: any Error) -> Bool {
        let cause = (error as? LogError)?.underlying ?? error
        return (cause as? SQLiteStoreError)?.code == .absent
    }

    /// True if the machine is at fault: no room, no permission, a bad disk, an unreachable database.
    static func isFaultOfMachine(_ error: any Error) -> Bool {
        let cause = (error as? LogError)?.underlying ?? error
        if let error = cause as? SQLiteStoreError {
            // The system refuses access to a folder, or to create one.
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
