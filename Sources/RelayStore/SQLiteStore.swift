internal import Foundation
internal import GRDB
package import RelayProtocol
internal import Synchronization

/// The log and the credentials in one SQLite file.
///
/// It is written ahead (WAL) and every commit is synced (`synchronous=FULL`), so what was committed survives a power failure; a
/// weaker setting was seen to lose acknowledged commits. One connection writes, others read at the same time.
///
/// The relay and the command line may have it open at once; only the relay, which holds `DataDirectory.lock()`, commits to the log.
package final class SQLiteStore: Sendable {
    package enum User: Sendable {
        /// Checks the file before it touches it, and notices that it is a copy. The store keeps the lock until it is closed.
        case relay(DataDirectoryLock)
        case commandLine

        var isRelay: Bool { if case .relay = self { true } else { false } }
    }

    package let path: String
    package let epoch: Epoch

    /// Replaced by another only after an error of the disk; see `reopen`.
    private let pool: Mutex<DatabasePool>
    /// Held until `close`; nil for the command line.
    private let lock: Mutex<DataDirectoryLock?>
    /// The disk reported an error, and nobody has seen since that it takes what is written. Only `commit` uses it.
    let isInDoubt = Atomic(false)

    /// Creates the file where there is none, and brings an older one up to date.
    package init(_ directory: DataDirectory, for user: User) throws(StoreError) {
        let path = directory.databasePath
        self.path = path
        let opening = try directory.lockForOpening()
        defer { withExtendedLifetime(opening) {} }
        do {
            try Self.check(path, for: user)
            let pool = try Self.open(path)
            try Schema.migrator.migrate(pool)
            epoch = try Self.epoch(of: pool, path: path, for: user)
            self.pool = Mutex(pool)
            lock = if case .relay(let lock) = user { Mutex(lock) } else { Mutex(nil) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Writes everything into the one file, so that it can be copied. Nothing can be read or written afterwards.
    ///
    /// A process that ends without it loses nothing: the next start takes up what is in the `-wal` file.
    package func close() throws(StoreError) {
        try pool.withLock { pool throws(StoreError) in
            do {
                // A reader in another process may be in the way; then the last one to close does it.
                _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                try pool.close()
            } catch {
                throw StoreError(error, path: path)
            }
        }
        lock.withLock { $0 = nil }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try use { try $0.read(body) }
    }

    /// One transaction: all of `body` or nothing.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try use { try $0.write(body) }
    }

    private func use<Value>(_ body: (DatabasePool) throws -> Value) throws(StoreError) -> Value {
        while true {
            let current = pool.withLock { $0 }
            do {
                return try body(current)
            } catch {
                // Closed beneath us by `reopen`: nothing was done yet, so do it with the new one.
                let isClosed = (error as? DatabaseError)?.resultCode == .SQLITE_MISUSE
                if isClosed, pool.withLock({ $0 !== current }) { continue }
                throw StoreError(error, path: path)
            }
        }
    }

    /// After an error of the disk: forgets what SQLite believes and reads again what is really in the files, then proves that
    /// the disk takes it. Throws where it does not; the next call tries again.
    ///
    /// Linux reports a failed sync once and then takes the pages for clean, so a later sync proves nothing about them. Copying
    /// everything from the WAL into the main file writes them anew.
    func reopen() throws(StoreError) {
        try pool.withLock { pool throws(StoreError) in
            do {
                try? pool.close()
                let fresh = try Self.open(path)
                pool = fresh
                let frames = try fresh.writeWithoutTransaction { try $0.checkpoint(.full) }
                guard frames.walFrameCount == frames.checkpointedFrameCount else {
                    throw StoreError(.busy, "Another process has kept \(path) locked for too long.")
                }
            } catch {
                throw StoreError(error, path: path)
            }
        }
    }
}

extension SQLiteStore {
    /// Long enough for the command line to finish, short enough to be noticed.
    private static let busySecondsMax: TimeInterval = 5
    /// A quick check reads the whole file: about a second at this size on a slow disk.
    private static let checkedBytesMax: Int64 = 64 << 20
    /// What a WAL is cut back to after a long read had kept it from being emptied.
    private static let walBytesKept = 64 << 20

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busySecondsMax)
        configuration.label = "RelayStore"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cell_size_check = ON")  // notices a damaged page before it is believed
        }
        return configuration
    }

    private static func open(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL when it turns on the WAL, so this comes after.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(walBytesKept)")
            let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            precondition(synchronous == 2, "every commit must be synced: 2 is FULL")
        }
        return pool
    }

    /// Looks at an existing file through a connection that cannot write: what is damaged, or newer than we are, stays as it is.
    ///
    /// By name or through SQLite, never through a descriptor of our own: closing one would drop SQLite's locks on the file.
    private static func check(_ path: String, for user: User) throws {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw StoreError(.cannotOpen, "\(path) is not a file.") }
        let size = Int64(facts.st_size)
        guard size > 0 else { return }
        var configuration = configuration
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in
            if try Schema.migrator.hasBeenSuperseded(db) {
                throw StoreError(
                    .newerSchema, "\(path) was written by a newer version of Heliograph. Run that version, or restore a backup."
                )
            }
            // A clean end leaves no WAL behind. After another, damage is likelier and a long check is worth its time.
            let endedUncleanly = unsafe stat(path + "-wal", &facts) == 0 && facts.st_size > 0
            guard user.isRelay, size < checkedBytesMax || endedUncleanly else { return }
            if let fault = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), fault != "ok" {
                throw StoreError.corrupt(path: path, fault)
            }
        }
        try queue.close()
    }

    /// The epoch in the file, or a new one where the file has none or is a copy: it may lack events that clients have seen.
    ///
    /// A copy shows by its inode. One made by writing over the old file in place does not.
    private static func epoch(of pool: DatabasePool, path: String, for user: User) throws -> Epoch {
        try pool.write { db in
            func meta(_ name: String) throws -> String? {
                try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
            }
            let file = String(inode(path))
            let isCopy = try user.isRelay && meta("file") != file
            if let stored = try meta("epoch").flatMap(Epoch.init), !isCopy { return stored }
            let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
            guard let epoch = Epoch(String((0..<20).compactMap { _ in letters.randomElement() })) else {
                preconditionFailure("twenty letters and digits are an identifier")
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('epoch', ?), ('file', ?)", arguments: [epoch.rawValue, file])
            return epoch
        }
    }

    private static func inode(_ path: String) -> UInt64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? UInt64(facts.st_ino) : 0
    }
}
