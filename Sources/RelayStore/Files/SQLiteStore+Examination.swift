internal import Foundation
internal import GRDB

/// What a look at a data file found that changed nothing in it.
package struct DataFileExamination: Sendable {
    /// Rows that the relay would go on without.
    package let damagedRecords: [DamagedRecord]
    /// An older version wrote it: the relay brings it up to date when it starts. Its rows were not looked at.
    package let isOlder: Bool
    /// Whether every page was checked. The relay checks a larger file itself, beside its work.
    package let isChecked: Bool
}

extension SQLiteStore {
    /// Looks at the file through a connection that cannot write, beside a relay that may run or not: takes no lock, brings nothing up to
    /// date. Reads every page up to `checkedBytesMax`. Throws what opening it would.
    package static func examine(
        _ directory: DataDirectory, checkedBytesMax: Int64 = SQLiteStore.checkedBytesMax
    ) throws(StoreError) -> DataFileExamination {
        let path = directory.databasePath
        do {
            let queue = try openToLook(path)
            let found = try queue.read { db in
                if try Schema.migrator.hasBeenSuperseded(db) { throw StoreError.newerSchema(path: path) }
                let size = try Int64.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
                let isSmall = (size ?? 0) <= checkedBytesMax
                if isSmall { try checkIntegrity(of: nil, path: path, in: db) }
                let isOlder = try !Schema.migrator.hasCompletedMigrations(db)
                let damaged = isOlder ? [] : try Loader(resolvedSince: 0, commandsSince: 0, from: db).damaged
                return DataFileExamination(damagedRecords: damaged, isOlder: isOlder, isChecked: isSmall)
            }
            try queue.close()
            return found
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
