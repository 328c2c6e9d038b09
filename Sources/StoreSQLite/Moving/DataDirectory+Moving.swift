internal import GRDB
internal import Glibc
internal import RelayCore
package import RelayProtocol

extension DataDirectory {
    /// The source of a move: a data file that no other process writes meanwhile.
    package struct MovedSource {
        package let file: MovedFile
        /// Epoch of the log that is moved.
        package let epoch: Epoch
        fileprivate let db: Database

        /// Hands the epoch over to the destination: a relay on this file would begin another one. Committed when this returns.
        package func giveUpEpoch() throws {
            try DataFile.dropEpoch(in: db)
            try db.execute(sql: "COMMIT")
        }
    }

    /// Calls `body` to move the data, then renames the data file and returns its new name, so that nobody uses it by accident
    /// beside the moved data. If `body` throws, nothing has changed.
    ///
    /// Throws `busy` while a relay runs here, and the errors of a relay that starts here.
    package func move(_ body: (MovedSource) throws -> Void) throws -> String? {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        do {
            try refuseRemains()
            let (pool, epoch) = try openForMoving()
            try pool.unsafeReentrantWrite { db in
                try db.execute(sql: "BEGIN IMMEDIATE")
                do { try body(MovedSource(file: MovedFile(db), epoch: epoch, db: db)) } catch {
                    // Ignored if it fails: the first error is the one to throw.
                    if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK") }
                    throw error
                }
            }
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try pool.close()
            return try setAsideUnderLock()
        } catch let error as DatabaseError {
            throw SQLiteStoreError(error, path: databasePath)
        }
    }

    private func openForMoving() throws -> (DatabasePool, Epoch) {
        let opening = try lockForOpening()
        defer { withExtendedLifetime(opening) {} }
        _ = try DataFile.check(self, byRelay: true, upTo: DataFile.checkedBytesMax)
        let pool = try Connections.open(databasePath)
        try DataFile.bringUpToDate(pool, path: databasePath)
        // Revocations that wait for space are part of the move; it fails if they cannot be written.
        try SQLiteCredentials(
            SQLiteDatabase(pool, path: databasePath, forRelay: false), waiting: WaitingRevocations(revocationsPath)
        ).takeWaiting()
        let run = try RunRecord(runPath)
        return (pool, try DataFile.epoch(of: pool, path: databasePath, run))
    }

    /// Calls `body` to fill a new data file, which gets its name once it is complete. Returns the value of `body`; the epoch is the
    /// one in which the log continues, nil for a new one.
    ///
    /// Throws `busy` while a relay runs here, and `conflict` if there is a data file or the remains of one; nothing is changed
    /// then.
    package func receive<Value>(_ body: (MovedFile) throws -> (Value, Epoch?)) throws -> Value {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        guard !Self.hasRemains(at: path) else {
            throw SQLiteStoreError(
                .conflict, "There is a relay's data in \(path) already, or what is left of it. Nothing was changed.")
        }
        // Left over by an earlier move that was killed.
        for part in ["", "-journal"] { try Files.remove(draftPath + part) }
        do {
            try Files.create(draftPath, ofFolder: true)
            let queue = try DatabaseQueue(path: draftPath, configuration: Connections.configuration)
            try Schema.migrator.migrate(queue)
            let file = String(DataFile.inode(draftPath))
            let value = try queue.unsafeReentrantWrite { db in
                try db.execute(sql: "BEGIN IMMEDIATE")
                do {
                    let (value, epoch) = try body(MovedFile(db))
                    if let epoch {
                        try db.execute(
                            sql: "INSERT OR REPLACE INTO meta VALUES ('epoch', ?), ('file', ?)",
                            arguments: [epoch.rawValue, file])
                    }
                    try db.execute(sql: "COMMIT")
                    return value
                } catch {
                    // Ignored if it fails: the first error is the one to throw.
                    if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK") }
                    throw error
                }
            }
            try queue.close()
            try Files.place(draftPath, at: databasePath, replacing: false)
            return value
        } catch {
            for part in ["", "-journal"] { _ = unsafe unlink(draftPath + part) }
            if let error = error as? DatabaseError { throw SQLiteStoreError(error, path: draftPath) }
            throw error
        }
    }
}
