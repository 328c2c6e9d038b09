internal import GRDB
internal import Glibc
internal import HeliographPlatform
internal import RelayProtocol

/// Checks and repairs of a data file before it is used.
package enum DataFile {
    /// Size up to which every page is checked before the relay starts: takes 0.2 s, or a second from a disk that reads 250 MB/s.
    package static let checkedBytesMax: Int64 = 256 << 20

    /// Checks an existing file through a read-only connection, so that a damaged or newer one is left unchanged. Returns whether
    /// every page was checked.
    ///
    /// Accesses the file by name or through SQLite, never through its own descriptor: closing one would drop SQLite's locks on the
    /// file.
    static func check(_ directory: DataDirectory, byRelay isRelay: Bool, upTo bytesMax: Int64) throws -> Bool {
        let path = directory.databasePath
        guard case .file(let size) = Files.kind(path), size > 0 else { return true }
        let known = RunRecord.content(at: directory.runPath)
        let queue = try Connections.openToLook(path)
        let isSmall = size <= bytesMax
        try queue.read { db in
            try checkVersion(of: path, in: db)
            if isRelay, let fault = try Schema.fault(in: db) { throw SQLiteStoreError.corrupt(path: path, fault) }
            // Also for a command: its changes to an older copy, or what it copies of one, would be worthless.
            try checkEvents(of: path, known, in: db)
            guard isRelay else { return }
            if isSmall { return try checkIntegrity(of: nil, path: path, in: db) }
            // The events are nearly all of a large file, and nothing at the start reads them.
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('events', 'sqlite_sequence')")
            for table in tables { try checkIntegrity(of: table, path: path, in: db) }
        }
        try queue.close()
        return isRelay && isSmall
    }

    /// Throws if another program, or a newer version of this one, has made the file, which then must not be written to.
    static func checkVersion(of path: String, in db: Database) throws {
        if try Schema.migrator.hasBeenSuperseded(db) { throw SQLiteStoreError.newerSchema(path: path) }
        // No version has set it so far; a future one that does so tells older ones not to continue.
        if try Int.fetchOne(db, sql: "PRAGMA user_version") != 0 { throw SQLiteStoreError.newerSchema(path: path) }
        guard try Schema.migrator.appliedMigrations(db).isEmpty else { return }
        // An interrupted first start leaves none of these tables either.
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE name != 'grdb_migrations'") == 0 else {
            throw SQLiteStoreError.corrupt(path: path, "it has tables, and nothing says which version of Heliograph made them")
        }
    }

    /// Throws if the file has fewer events than the last relay run here had.
    static func checkEvents(of path: String, _ known: RunRecord.Content?, in db: Database) throws {
        guard let known, try !Schema.migrator.appliedMigrations(db).isEmpty else { return }
        let held = try RunRecord.events(in: db)
        if held < known.events { throw SQLiteStoreError.lost(path: path, held: held, known: known.events) }
    }

    /// Migrates the file, each version in its own transaction: if one fails for lack of space, the file stays at the version before
    /// it.
    static func bringUpToDate(_ pool: DatabasePool, path: String) throws {
        do { try Schema.migrator.migrate(pool) } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            guard case .file(let bytes) = Files.kind(path), bytes > 0 else { throw error }
            throw SQLiteStoreError(
                .full,
                """
                The disk of \(path) is full, and an older version wrote the file: to bring it up to date takes up to \
                \(2 * bytes >> 20 + 8) MB. Mend: \(DiskMend.full) and start again; nothing in it was lost.
                """, underlying: error)
        }
    }

    static func checkIntegrity(of table: String?, path: String, in db: Database) throws {
        if let fault = try fault(in: table, db) { throw SQLiteStoreError.corrupt(path: path, fault) }
    }

    /// Checks every page, or those of one table and its indexes. Returns a description of the damage, nil if there is none.
    static func fault(in table: String?, _ db: Database) throws -> String? {
        let scope = table.map { "'\($0)'" } ?? "1"
        let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(\(scope))")
        return verdict == "ok" ? nil : verdict ?? "it could not be checked"
    }

    /// The epoch in the file, or a new one if the file has none or is a copy: a copy may lack events that clients have seen.
    ///
    /// A copy is detected by its inode, and one that overwrote the old file in place by the run that it names. `run`: the relay's
    /// run record; nil for the command line, which takes the epoch as it is.
    static func epoch(of pool: DatabasePool, path: String, _ run: RunRecord?) throws -> Epoch {
        let file = String(inode(path))
        func stored(in db: Database) throws -> Epoch? {
            func meta(_ name: String) throws -> String? {
                try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
            }
            if let run, try meta("file") != file || !run.matches(db) { return nil }
            return try meta("epoch").flatMap(Epoch.init)
        }
        // Nearly always it is there, and then the command line need not wait for its turn to write.
        if let epoch = try pool.writeWithoutTransaction(stored) { return epoch }
        return try pool.write { db in
            if let epoch = try stored(in: db) { return epoch }
            guard let epoch = Epoch(RunRecord.randomName()) else {
                preconditionFailure("twenty letters and digits are an identifier")
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('epoch', ?), ('file', ?)", arguments: [epoch.rawValue, file])
            try run?.adopt(db)
            return epoch
        }
    }

    /// Makes the next relay that opens this file begin another epoch.
    static func dropEpoch(in db: Database) throws {
        try db.execute(sql: "DELETE FROM meta WHERE name IN ('epoch', 'file', 'run', 'run_before')")
    }

    static func inode(_ path: String) -> UInt64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? UInt64(facts.st_ino) : 0
    }

    /// Checks a file that nothing uses yet, removes its epoch, and leaves it without a journal beside it. `name`: its name in error
    /// messages. Throws `corrupt` if it is damaged or not a data file, `newerSchema` if a newer version made it.
    static func prepareForAnotherLife(_ path: String, called name: String) throws(SQLiteStoreError) {
        func broken(_ what: String, _ underlying: (any Error)? = nil) -> SQLiteStoreError {
            SQLiteStoreError(.corrupt, "\(name) is no sound backup (\(what)).", underlying: underlying)
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.configuration)
            try queue.inDatabase { db in
                if let fault = try fault(in: nil, db) { throw broken(fault) }
                try checkVersion(of: name, in: db)
                guard try Schema.migrator.appliedIdentifiers(db).contains("v1") else {
                    throw broken("it is none of Heliograph's")
                }
                try dropEpoch(in: db)
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch {
            let failure = SQLiteStoreError(error, path: path)
            guard failure.code == .corrupt, error is DatabaseError else { throw failure }
            throw broken("it is damaged, or no database", error)
        }
    }
}
