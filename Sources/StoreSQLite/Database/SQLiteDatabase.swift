internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import RelayCore
internal import Synchronization

/// The connections to one data file: one writes, others read at the same time. From any thread.
final class SQLiteDatabase: Sendable {
    let path: String

    /// Replaced by another only after an error of the disk; see `reopen`.
    private let pool: Mutex<DatabasePool>
    /// SQLite met a damaged page. Nothing is written any more: it would spread.
    private let damage = Mutex<LogError?>(nil)
    /// Nil for the command line, whose few commits copy the write-ahead log themselves.
    private let checkpointer: Checkpointer?

    init(_ pool: DatabasePool, path: String, forRelay: Bool) throws(SQLiteStoreError) {
        self.path = path
        checkpointer = forRelay ? Checkpointer(path) : nil
        do {
            try checkpointer?.takeOver(from: pool)
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
        self.pool = Mutex(pool)
    }

    /// A relay's, or the last one's: writes everything into the one file, so that it can be copied. Nothing can be read or written afterwards.
    func close() throws(SQLiteStoreError) {
        try pool.withLock { pool throws(SQLiteStoreError) in
            defer { checkpointer?.close() }
            do {
                // A reader in another process may be in the way; then the last one to close does it. A command beside a relay leaves the log as it
                // is: without one, on a full disk, the next command could not even look.
                if checkpointer != nil { _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
                try pool.close()
            } catch {
                throw SQLiteStoreError(error, path: path)
            }
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(LogError) -> Value {
        try use { try $0.read(body) }
    }

    /// One transaction: all of `body` or nothing. `committed` is called as soon as it is on disk.
    func write<Value>(
        _ body: (Database) throws -> Value, committed: (Value) -> Void = { _ in }
    ) throws(LogError) -> Value {
        if let damage = damage.withLock({ $0 }) { throw damage }
        return try use { pool in
            do {
                return try pool.writeWithoutTransaction { db in
                    let value = try Self.transaction(in: db, body)
                    committed(value)
                    checkpointer?.committed(db)
                    return value
                }
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_WRITE {
                switch Self.lastErrorNumber(pool) {
                case EROFS: throw SQLiteStoreError.readOnly(path: path, underlying: error)
                case EDQUOT: throw SQLiteStoreError.full(path: path, underlying: error)
                default: throw error
                }
            }
        }
    }

    /// GRDB's own has SQLite compile BEGIN and COMMIT again each time, which was a tenth of a small commit.
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

    /// The system's error of the last write. A disk that turns read-only, or on which the user's quota is used up, takes nothing of the
    /// page that is written, so the transaction is not there, as on a full one. SQLite has a code for the full one alone.
    private static func lastErrorNumber(_ pool: DatabasePool) -> Int32 {
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
            return error
        }
    }

    /// For tasks that need the connection that writes, outside of a transaction.
    func useWriter<Value>(_ body: (Database) throws -> Value) throws(LogError) -> Value {
        try use { try $0.writeWithoutTransaction(body) }
    }

    /// Empties the write-ahead log, which has pages as they were before a deletion. False while somebody reads what it has; nothing waits for that.
    func emptyLog() throws(LogError) -> Bool {
        try useWriter { db in
            let copied = try db.checkpoint(.passive)
            guard copied.walFrameCount == copied.checkpointedFrameCount else { return false }
            do { _ = try db.checkpoint(.truncate) } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                return false
            }
            return true
        }
    }

    private func use<Value>(_ body: (DatabasePool) throws -> Value) throws(LogError) -> Value {
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
    private func failure(_ error: any Error) -> LogError {
        let failure = LogError(error, path: path)
        if failure.code == .damaged(.store), error is DatabaseError { stopWriting(failure) }
        return failure
    }

    /// False once a damaged page was met.
    var takesWrites: Bool { damage.withLock { $0 == nil } }

    func stopWriting(_ failure: LogError) { damage.withLock { $0 = failure } }

    /// After an error of the disk: discards SQLite's caches, reads the files again, and proves that the disk takes writes. Throws if it
    /// does not; the next call tries again.
    ///
    /// Linux reports a failed sync once and then takes the pages for clean, so a later sync proves nothing about them. Copying everything
    /// from the WAL into the main file writes them again.
    func reopen() throws(LogError) {
        try pool.withLock { pool throws(LogError) in
            do {
                try? pool.close()
                checkpointer?.close()
                let fresh = try Connections.open(path)
                try checkpointer?.takeOver(from: fresh)
                pool = fresh
                let frames = try fresh.writeWithoutTransaction { try $0.checkpoint(.full) }
                guard frames.walFrameCount == frames.checkpointedFrameCount else {
                    throw SQLiteStoreError(.busy, "Another process has kept \(path) locked for too long.")
                }
            } catch {
                throw failure(error)
            }
        }
    }
}
