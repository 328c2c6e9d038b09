internal import RelayCore
internal import StoreSQLite

/// A store that is open, as the ports to it. Which store that is, is said here; what only a data file can do is `Storage`.
struct OpenStore: Sendable {
    /// The data directory. Beside the data it has what a relay on this machine needs: its address, sockets, keys, profiles.
    let folder: String
    let log: any SessionLog & Sendable
    let credentials: any CredentialStore
    let pictures: any PictureStore
    let audit: any AuditLog
    let upkeep: any StoreUpkeep
    private let store: SQLiteStore

    /// Only one relay at a time has it, until it is closed.
    init(forRelayIn directory: String) throws {
        let directory = try DataDirectory(path: directory)
        self.init(directory, try SQLiteStore(directory, for: .relay(try directory.lock())))
    }

    /// Beside a relay that may run or not.
    init(forCommandsIn directory: String) throws {
        let directory = try DataDirectory(path: directory)
        self.init(directory, try SQLiteStore(directory, for: .commandLine))
    }

    /// The same where there is a relay's data; throws where there is none.
    init(forCommandsInExisting directory: String) throws {
        let directory = try DataDirectory(existing: directory)
        self.init(directory, try SQLiteStore(directory, for: .commandLine))
    }

    private init(_ directory: DataDirectory, _ store: SQLiteStore) {
        folder = directory.path
        (log, credentials, pictures) = (store.log, store.credentials, store.pictures)
        (audit, upkeep) = (store.audit, store.upkeep)
        self.store = store
    }

    func close() throws { try store.close() }

    /// Whether opening or using it failed for what the machine did not give: room, rights, a sound disk.
    static func isFaultOfMachine(_ error: any Error) -> Bool {
        let cause = (error as? LogError)?.underlying ?? error
        return (cause as? SQLiteStoreError).map { [.full, .readOnly, .io].contains($0.code) } ?? false
    }
}
