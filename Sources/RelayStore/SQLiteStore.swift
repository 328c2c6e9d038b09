internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Glibc
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
    /// Nil for the command line.
    let run: RunRecord?
    /// Nil for the command line.
    let reserve: Reserve?
    /// The disk reported an error, and nobody has seen since that it takes what is written. Only `commit` and
    /// `load` use it, in turn.
    let isInDoubt = Atomic(false)
    let damage = Mutex(Damage())
    /// Of commits, which come in turn.
    let memory = Mutex(CommitMemory())

    /// What was found wrong with the file since it was opened.
    struct Damage: Sendable {
        /// SQLite met a damaged page. Nothing is written any more: it would spread.
        var failure: StoreError?
        /// See `damagedRecords`.
        var records: [DamagedRecord] = []
    }

    /// Where a check of everything is under way, its own connection.
    let checking = Mutex<DatabaseQueue?>(nil)

    /// Whether the opening has checked every page. Where not, `checkEverything` does; every event is left to it.
    package let isChecked: Bool

    /// Creates the file where there never was one, and brings an older one up to date. A damaged one is refused, and left as it is; so
    /// is what is left of one.
    /// Of a file beyond `checkedBytesMax` the history is not checked; see `isChecked`.
    package init(
        _ directory: DataDirectory, for user: User, checkedBytesMax: Int64 = SQLiteStore.checkedBytesMax
    ) throws(StoreError) {
        let path = directory.databasePath
        self.path = path
        let opening = try directory.lockForOpening()
        defer { withExtendedLifetime(opening) {} }
        try directory.refuseRemains()
        func opened() throws(StoreError) -> Opened {
            do {
                let isChecked = try Self.check(directory, for: user, upTo: checkedBytesMax)
                let pool = try Self.open(path)
                let isUpToDate = { try pool.writeWithoutTransaction(Schema.migrator.hasCompletedMigrations) }
                let alone = try user.isRelay || isUpToDate() ? nil : directory.lockForUpdate()
                try withExtendedLifetime(alone) { try Self.bringUpToDate(pool, path: path) }
                let run = user.isRelay ? try RunRecord(directory.runPath) : nil
                let epoch = try Self.epoch(of: pool, path: path, run)
                if let run { try pool.writeWithoutTransaction(run.count) }
                return Opened(pool: pool, epoch: epoch, run: run, isChecked: isChecked)
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
                // Nothing is written yet; it is the `-shm` that finds no room.
                throw StoreError.full(path: path, underlying: error)
            } catch {
                throw StoreError(error, path: path)
            }
        }
        reserve = user.isRelay ? Reserve(directory.reservePath) : nil
        let found: Opened
        do throws(StoreError) { found = try opened() } catch {
            guard error.code == .full, let reserve, reserve.giveUp() else { throw error }
            found = try opened()
        }
        (epoch, run, isChecked) = (found.epoch, found.run, found.isChecked)
        pool = Mutex(found.pool)
        lock = if case .relay(let lock) = user { Mutex(lock) } else { Mutex(nil) }
    }

    private struct Opened {
        let pool: DatabasePool
        let epoch: Epoch
        let run: RunRecord?
        let isChecked: Bool
    }

    /// Writes everything into the one file, so that it can be copied. Nothing can be read or written afterwards.
    ///
    /// A process that ends without it loses nothing: the next start takes up what is in the `-wal` file.
    package func close() throws(StoreError) {
        // Nobody waits for it now.
        checking.withLock { $0 }?.interrupt()
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
        if let failure = damage.withLock({ $0.failure }) { throw failure }
        return try use { pool in
            do {
                return try pool.writeWithoutTransaction { try Self.transaction(in: $0, body) }
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_WRITE {
                guard Self.isReadOnlyNow(pool) else { throw error }
                throw StoreError.readOnly(path: path, underlying: error)
            }
        }
    }

    /// GRDB's own has SQLite compile BEGIN and COMMIT anew each time, which was a tenth of a small commit.
    private static func transaction<Value>(in db: Database, _ body: (Database) throws -> Value) throws -> Value {
        try db.cachedStatement(sql: "BEGIN IMMEDIATE").run()
        do {
            let value = try body(db)
            try db.cachedStatement(sql: "COMMIT").run()
            return value
        } catch {
            // After some errors SQLite has done so itself. What counts is why, which is thrown.
            if db.isInsideTransaction { try? db.cachedStatement(sql: "ROLLBACK").run() }
            throw error
        }
    }

    /// A disk that turns read-only beneath us takes not one byte of a write, so nothing of a transaction is there, as on a full one.
    /// SQLite has a code for the full one alone.
    private static func isReadOnlyNow(_ pool: DatabasePool) -> Bool {
        pool.writeWithoutTransaction { db in
            var error: Int32 = 0
            // Both calls fill in what their code says, a pointer and a number; the WAL is open as long as its connection is.
            unsafe withUnsafeMutablePointer(to: &error) { error in
                var wal: UnsafeMutablePointer<sqlite3_file>?
                guard
                    unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal) == SQLITE_OK,
                    let wal = unsafe wal, let control = unsafe wal.pointee.pMethods?.pointee.xFileControl
                else { return }
                _ = unsafe control(wal, SQLITE_FCNTL_LAST_ERRNO, error)
            }
            return error == EROFS
        }
    }

    /// What only the connection that writes can do, in no transaction.
    func useWriter<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try use { try $0.writeWithoutTransaction(body) }
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
                throw failure(error)
            }
        }
    }

    /// Damage is remembered: whatever is written from here on is refused.
    private func failure(_ error: any Error) -> StoreError {
        let failure = StoreError(error, path: path)
        if failure.code == .corrupt, error is DatabaseError { stopWriting(failure) }
        return failure
    }

    /// False once a damaged page was met.
    package var takesWrites: Bool { damage.withLock { $0.failure == nil } }

    func stopWriting(_ failure: StoreError) { damage.withLock { $0.failure = failure } }

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
                throw failure(error)
            }
        }
    }
}
