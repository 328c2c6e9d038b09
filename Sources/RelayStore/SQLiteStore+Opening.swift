internal import HeliographPlatform
internal import Foundation
internal import GRDB
internal import RelayProtocol
internal import Synchronization

extension SQLiteStore {
    /// Five seconds and a little: long enough for the command line to finish, short enough to be noticed.
    private static let busyLooksMax = 20_000
    /// Between two looks whether a locked file is free, in microseconds. SQLite's own waits grow to a tenth of a second, and a
    /// relay that commits without a pause lets go only for some microseconds each time: who looks so rarely may never find it free.
    private static let busyMicroseconds: UInt32 = 250
    /// Up to here every page is checked before the relay starts: 0.2 s, or a second from a disk that reads 250 MB/s.
    package static let checkedBytesMax: Int64 = 256 << 20
    /// What a WAL is cut back to after a long read had kept it from being emptied.
    private static let walBytesKept = 64 << 20
    /// How long a WAL gets before a commit copies it into the file, which takes milliseconds: 16 MB. With SQLite's own thousand one approval
    /// in forty waited for that, and the pages that every commit changes were copied four times as often.
    private static let walPagesMax = 4_000

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .callback { looks in
            usleep(busyMicroseconds)
            return looks < busyLooksMax
        }
        configuration.label = "RelayStore"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cell_size_check = ON")  // notices a damaged page before it is believed
        }
        return configuration
    }

    static func open(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL when it turns on the WAL, so this comes after.
            try db.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(walBytesKept);
                    PRAGMA wal_autocheckpoint = \(walPagesMax)
                    """)
            let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            precondition(synchronous == 2, "every commit must be synced: 2 is FULL")
        }
        return pool
    }

    /// Looks at an existing file through a connection that cannot write: what is damaged, or newer than we are, stays as it is.
    /// Hands back whether every page was checked.
    ///
    /// By name or through SQLite, never through a descriptor of our own: closing one would drop SQLite's locks on the file.
    static func check(_ directory: DataDirectory, for user: User, upTo bytesMax: Int64) throws -> Bool {
        let path = directory.databasePath
        guard case .file(let size) = Files.kind(path), size > 0 else { return true }
        let known = RunRecord.content(at: directory.runPath)
        let queue = try openToLook(path)
        let isSmall = size <= bytesMax
        try queue.read { db in
            try checkVersion(of: path, in: db)
            guard user.isRelay else { return }
            if let fault = try Schema.fault(in: db) { throw StoreError.corrupt(path: path, fault) }
            try checkEvents(of: path, known, in: db)
            if isSmall { return try checkIntegrity(of: nil, path: path, in: db) }
            // The history is nearly all of a large file, and nothing at the start reads it.
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('events', 'sqlite_sequence')")
            for table in tables { try checkIntegrity(of: table, path: path, in: db) }
        }
        try queue.close()
        return user.isRelay && isSmall
    }

    /// Throws where another program, or a newer version of this one, has made the file: it is not to be written to.
    static func checkVersion(of path: String, in db: Database) throws {
        if try Schema.migrator.hasBeenSuperseded(db) { throw StoreError.newerSchema(path: path) }
        // No version has set it so far; one that does means that we are not to go on.
        if try Int.fetchOne(db, sql: "PRAGMA user_version") != 0 { throw StoreError.newerSchema(path: path) }
        guard try Schema.migrator.appliedMigrations(db).isEmpty else { return }
        // What a start that was cut short leaves has none either.
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE name != 'grdb_migrations'") == 0 else {
            throw StoreError.corrupt(path: path, "it has tables, and nothing says which version of Heliograph made them")
        }
    }

    /// Throws where the file has fewer events than the last relay here had.
    static func checkEvents(of path: String, _ known: RunRecord.Content?, in db: Database) throws {
        guard let known, try !Schema.migrator.appliedMigrations(db).isEmpty else { return }
        let held = try RunRecord.events(in: db)
        if held < known.events { throw StoreError.lost(path: path, held: held, known: known.events) }
    }

    /// Each version in a transaction of its own: what does not fit leaves the file at the version before it.
    static func bringUpToDate(_ pool: DatabasePool, path: String) throws {
        do { try Schema.migrator.migrate(pool) } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            guard case .file(let bytes) = Files.kind(path), bytes > 0 else { throw error }
            throw StoreError(
                .full,
                """
                The disk of \(path) is full, and an older version wrote the file: to bring it up to date takes up to \
                \(2 * bytes >> 20 + 8) MB. Mend: \(DiskMend.full) and start again; nothing in it was lost.
                """, underlying: error)
        }
    }

    /// A connection that cannot write.
    static func openToLook(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    static func checkIntegrity(of table: String?, path: String, in db: Database) throws {
        if let fault = try fault(in: table, db) { throw StoreError.corrupt(path: path, fault) }
    }

    /// Reads every page, or those of one table and its indexes; says what does not fit together, nil where all does.
    static func fault(in table: String?, _ db: Database) throws -> String? {
        let scope = table.map { "'\($0)'" } ?? "1"
        let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(\(scope))")
        return verdict == "ok" ? nil : verdict ?? "it could not be checked"
    }

    /// Reads every event beside what else is going on, and before that, where the file was too large for it before the start, every
    /// page. Throws `corrupt` where a page is damaged; nothing is written after that. Hands back the events that are not as they were
    /// written, which `damagedRecords` then has, too; nil where the store was closed before the end.
    package func checkEverything() throws(StoreError) -> [DamagedRecord]? {
        do {
            let queue = try Self.openToLook(path)
            checking.withLock { $0 = queue }
            defer { checking.withLock { $0 = nil } }
            let damaged = try queue.read { db in
                if !isChecked { try Self.checkIntegrity(of: nil, path: path, in: db) }
                return try Self.damagedEvents(in: db)
            }
            damage.withLock { $0.records = $0.records.filter { $0.event == nil } + damaged }
            return damaged
        } catch {
            if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT { return nil }
            let failure = StoreError(error, path: path)
            if failure.code == .corrupt { stopWriting(failure) }
            throw failure
        }
    }

    /// The epoch in the file, or a new one where the file has none or is a copy: it may lack events that clients have seen.
    ///
    /// A copy shows by its inode, and one that was written over the old file in place by the run that it names. `run` is the relay's;
    /// the command line has none, and takes the epoch as it stands.
    static func epoch(of pool: DatabasePool, path: String, _ run: RunRecord?) throws -> Epoch {
        let file = String(inode(path))
        func stored(in db: Database) throws -> Epoch? {
            func meta(_ name: String) throws -> String? {
                try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
            }
            if let run, try meta("file") != file || !run.matches(db) { return nil }
            return try meta("epoch").flatMap(Epoch.init)
        }
        // Nearly always it is there, and the command line need not wait until the relay lets it write.
        if let epoch = try pool.writeWithoutTransaction(stored) { return epoch }
        return try pool.write { db in
            if let epoch = try stored(in: db) { return epoch }
            guard let epoch = Epoch(randomName()) else {
                preconditionFailure("twenty letters and digits are an identifier")
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('epoch', ?), ('file', ?)", arguments: [epoch.rawValue, file])
            try run?.adopt(db)
            return epoch
        }
    }

    /// That no other has.
    static func randomName() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).compactMap { _ in letters.randomElement() })
    }

    /// Has the next relay that opens this file begin another epoch.
    static func dropEpoch(in db: Database) throws {
        try db.execute(sql: "DELETE FROM meta WHERE name IN ('epoch', 'file', 'run', 'run_before')")
    }

    private static func inode(_ path: String) -> UInt64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? UInt64(facts.st_ino) : 0
    }
}
