internal import GRDB
package import RelayCore
internal import RelayProtocol
internal import RelayStore
internal import Synchronization

/// A relay's data in one SQLite file, and the ports to it.
///
/// It has a write-ahead log (WAL) and every commit is synced (`synchronous=FULL`), so commits survive a power failure; a weaker
/// setting was seen to lose acknowledged ones. One connection writes, others read at the same time.
///
/// The relay and the command line may have it open at once; only the relay, which holds `DataDirectory.lock()`, commits to the log.
package final class SQLiteStore: Sendable {
    package enum User: Sendable {
        /// A relay: checks the file before it writes to it, and detects a copy. The store keeps the lock until it is closed.
        case relay(DataDirectoryLock)
        case commandLine

        var isRelay: Bool { if case .relay = self { true } else { false } }
    }

    package let log: SQLiteSessionLog
    package let credentials: SQLiteCredentials
    package let pictures: SQLitePictures
    package let audit: SQLiteAudit
    package let upkeep: SQLiteUpkeep
    private let database: SQLiteDatabase
    /// Held until `close`; nil for the command line.
    private let lock: Mutex<DataDirectoryLock?>

    /// Creates the file if there never was one, and migrates an older one. A damaged one, or the remains of one, is refused and
    /// left unchanged. The events of a file larger than `checkedBytesMax` are not checked; see `SQLiteUpkeep.checkEverything`.
    package init(
        _ directory: DataDirectory, for user: User, checkedBytesMax: Int64 = DataFile.checkedBytesMax
    ) throws(SQLiteStoreError) {
        let path = directory.databasePath
        let opening = try directory.lockForOpening()
        defer { withExtendedLifetime(opening) {} }
        try directory.refuseRemains()
        try directory.refuseForbiddenFiles()
        if !user.isRelay { try directory.refuseSecondName() }
        func opened() throws(SQLiteStoreError) -> Opened {
            do {
                let isChecked = try DataFile.check(directory, byRelay: user.isRelay, upTo: checkedBytesMax)
                let pool = try Connections.open(path)
                let isUpToDate = { try pool.writeWithoutTransaction(Schema.migrator.hasCompletedMigrations) }
                let alone = try user.isRelay || isUpToDate() ? nil : directory.lockForUpdate()
                try withExtendedLifetime(alone) { try DataFile.bringUpToDate(pool, path: path) }
                try Erasures.complete(pool)
                let run = user.isRelay ? try RunRecord(directory.runPath) : nil
                let epoch = try DataFile.epoch(of: pool, path: path, run)
                if let run { try pool.writeWithoutTransaction(run.count) }
                return Opened(pool: pool, epoch: epoch, run: run, isChecked: isChecked)
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
                // Nothing is written yet; there is no space for the `-shm` file.
                throw SQLiteStoreError.full(path: path, underlying: error)
            } catch {
                throw SQLiteStoreError(error, path: path)
            }
        }
        let reserve = user.isRelay ? Reserve(directory.reservePath) : nil
        let found: Opened
        do throws(SQLiteStoreError) { found = try opened() } catch {
            guard error.code == .full, let reserve, reserve.giveUp() else { throw error }
            found = try opened()
        }
        // The file may have been created just now.
        if case .relay(let lock) = user { try directory.lockDataFile(for: lock) }
        database = try SQLiteDatabase(found.pool, path: path, forRelay: user.isRelay)
        let damage = DamageRegister()
        log = SQLiteSessionLog(database, epoch: found.epoch, run: found.run, reserve: reserve, damage: damage)
        let waiting = WaitingRevocations(directory.revocationsPath)
        if user.isRelay { _ = waiting.make() }
        credentials = SQLiteCredentials(database, waiting: waiting)
        pictures = SQLitePictures(database)
        audit = SQLiteAudit(database)
        upkeep = SQLiteUpkeep(
            database, credentials, waiting, reserve: reserve, damage: damage, isChecked: found.isChecked)
        lock = if case .relay(let lock) = user { Mutex(lock) } else { Mutex(nil) }
    }

    private struct Opened {
        let pool: DatabasePool
        let epoch: Epoch
        let run: RunRecord?
        let isChecked: Bool
    }

    /// Moves everything into the one file, so that it can be copied. Nothing can be read or written after this.
    ///
    /// A process that ends without this call loses nothing: the next start recovers the `-wal` file.
    package func close() throws(SQLiteStoreError) {
        upkeep.stopChecking()
        try database.close()
        lock.withLock { $0 = nil }
    }

    /// Records in the audit log that these tokens are revoked: the log came from the backup, and they were revoked when that was
    /// restored.
    package func auditRevocations(of tokens: [String]) throws(LogError) {
        try audit.add(
            try credentials.allTokens().filter { tokens.contains($0.id) }.compactMap { token in
                token.revokedAt.map { AuditRecord(token, AuditWord.tokenRevoked, by: nil, at: $0) }
            })
    }
}
