internal import Foundation
internal import GRDB
internal import Glibc
package import RelayCore
internal import RelayStore

extension DataFile {
    /// Examines the file through a read-only connection, whether a relay runs or not: takes no lock, and migrates nothing. Reads
    /// every page up to `checkedBytesMax`. Throws the errors of opening it.
    package static func examine(
        _ directory: DataDirectory, checkedBytesMax: Int64 = DataFile.checkedBytesMax
    ) throws(SQLiteStoreError) -> StoreExamination {
        let path = directory.databasePath
        try directory.refuseRemains()
        // Read before the data file, as a running relay writes to that first.
        let known = RunRecord.content(at: directory.runPath)
        // Reading needs no write access, but a relay does.
        for place in [path, directory.path] where unsafe access(place, W_OK) != 0 {
            throw SQLiteStoreError(.readOnly, "\(place) cannot be written: \(unsafe String(cString: strerror(errno))).")
        }
        do {
            let queue = try Connections.openToLook(path)
            let found = try queue.read { db in
                try checkVersion(of: path, in: db)
                try checkEvents(of: path, known, in: db)
                let size = try Int64.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
                let isSmall = (size ?? 0) <= checkedBytesMax
                if isSmall { try checkIntegrity(of: nil, path: path, in: db) }
                let isOlder = try !Schema.migrator.hasCompletedMigrations(db)
                var damaged: [DamagedRow] = []
                if !isOlder {
                    damaged = try LogLoader.load(resolvedSince: 0, from: db).damaged
                    if isSmall { damaged += try damagedEvents(in: db) }
                }
                return StoreExamination(damagedRecords: damaged.map(\.record), isOlder: isOlder, isChecked: isSmall)
            }
            try queue.close()
            return found
        } catch {
            throw SQLiteStoreError(error, path: path)
        }
    }

    /// Limit of the list: a failing disk damages more than anybody reads.
    package static let damagedEventsMax = 100

    /// Reads every event; returns those that are damaged, or missing between others, `damagedEventsMax` at most.
    static func damagedEvents(in db: Database) throws -> [DamagedRow] {
        var found: [(id: Int64, what: String)] = []
        var last: Int64?
        let all = try db.makeStatement(sql: "SELECT id, kind, at, bytes, checksum FROM events ORDER BY id")
        try unsafe all.forEachEvent { id, isIntact, _ in
            if let last, id != last + 1, EventKey.session(id: id) == EventKey.session(id: last) {
                found.append((last + 1, "is missing"))
            }
            if !isIntact { found.append((id, DamagedRecord.changed)) }
            last = id
            return found.count < damagedEventsMax
        }
        let names = try db.makeStatement(sql: "SELECT workspace, session FROM sessions WHERE number = ?")
        return try found.map { id, what in
            let row = try Row.fetchOne(names, arguments: [EventKey.session(id: id)])
            let seq = EventKey.seq(id: id)
            return DamagedRow(
                DamagedRecord(workspace: row?[0] ?? "", session: row?[1] ?? "", what: "event \(seq) \(what)"), .event(seq))
        }
    }
}
