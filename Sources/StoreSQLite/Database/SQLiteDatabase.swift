internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import RelayCore
internal import Synchronization

/// The connections to one data file: one writes, others read at the same time. Safe on any thread.
final class SQLiteDatabase: Sendable {
    let path: String

    /// Replaced only after a disk error; see `reopen`.
    private let pool: Mutex<DatabasePool>
    /// Set once SQLite found a damaged page. Nothing is written any more, as that would spread the damage.
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

    /// Closes the store. A relay, or the last process, first moves everything into the one file, so that it can be copied. Nothing
    /// can be read or written after this.
    func close() throws(SQLiteStoreError) {
        try pool.withLock { pool throws(SQLiteStoreError) in
            defer { checkpointer?.close() }
            do {
                // Fails if another process reads; then the last one to close does it. A command beside a relay leaves the log in
                // place: without one, on a full disk, the next command could not even read.
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

    /// Runs `body` in one transaction: all of it or nothing. `committed` is called as soon as it is on disk.
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

    /// Runs a transaction with cached statements: with GRDB's own, SQLite compiles BEGIN and COMMIT each time, which was a tenth of
    /// a small commit.
    private static func transaction<Value>(in db: Database, _ body: (Database) throws -> Value) throws -> Value {
        try db.cachedStatement(sql: "BEGIN IMMEDIATE").run()
        do {
            let value = try body(db)
            try db.cachedStatement(sql: "COMMIT").run()
            return value
        } catch {
            // After some errors SQLite has rolled back by itself. A failure here is ignored: the first error is thrown.
            if db.isInsideTransaction { try? db.cachedStatement(sql: "ROLLBACK").run() }
            throw error
        }
    }

    /// The system's error of the last write. If a disk turns read-only, or the user's quota is used up, nothing of the page is
    /// written and the transaction is not stored, as on a full disk. But SQLite has its own code only for a full disk.
    private static func lastErrorNumber(_ pool: DatabasePool) -> Int32 {
        pool.writeWithoutTransaction { db in
            var error: Int32 = 0
            // Both calls fill in what their code names, a pointer and a number; the WAL file is open as long as its connection is.
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

    /// For tasks that need the writing connection outside of a transaction.
    func useWriter<Value>(_ body: (Database) throws -> Value) throws(LogError) -> Value {
        try use { try $0.writeWithoutTransaction(body) }
    }

    /// Empties the write-ahead log, which still has pages from before a deletion. False while a reader needs it; does not wait for
    /// that.
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
                // `reopen` has closed the connection before anything was done, so this is tried again with the new one.
                let isClosed = (error as? DatabaseError)?.resultCode == .SQLITE_MISUSE
                if isClosed, pool.withLock({ $0 !== current }) { continue }
                throw failure(error)
            }
        }
    }

    /// Maps an error. Damage is remembered, and all later writes are refused.
    private func failure(_ error: any Error) -> LogError {
        let failure = LogError(error, path: path)
        if failure.code == .damaged(.store), error is DatabaseError { stopWriting(failure) }
        return failure
    }

    /// False once a damaged page was found.
    var takesWrites: Bool { damage.withLock { $0 == nil } }

    func stopWriting(_ failure: LogError) { damage.withLock { $0 = failure } }

    /// After a disk error: discards SQLite's caches, reads the files again, and tests that the disk takes writes. Throws if it does
    /// not; the next call tries again.
    ///
    /// Linux reports a failed sync once and then regards the pages as clean, so a later sync proves nothing about them. Copying
    /// everything from the WAL into the main file writes them again.
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
