internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies a relay's write-ahead log into its data file, on a thread and a connection of its own: SQLite's own copies happen in a commit,
/// and kept everything waiting for a tenth of a second.
///
/// A copy promises nothing: pages synced in the log are committed, whether or not they are in the file. So its errors are of no
/// consequence, and the next copy begins after the last successful one.
final class Checkpointer: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "heliograph.checkpoints")
    private let plan = Mutex(CheckpointPlan())
    /// Opened by the first copy. On the queue only.
    private let connection = Mutex<DatabaseQueue?>(nil)

    init(_ path: String) { self.path = path }

    /// From here on `pool`, which writes, leaves the copying to this.
    func takeOver(from pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    /// To be called after each commit, on its connection and in no transaction.
    func committed(_ db: Database) {
        let pages = Self.pagesWritten(by: db)
        switch plan.withLock({ $0.committed(pages: pages) }) {
        case .none: break
        case .copy: queue.async { self.copy() }
        case .finish:
            let isWhole = Self.copiesAll(on: db)
            plan.withLock { $0.finished(isWhole: isWhole) }
        }
    }

    /// Nothing of the file is open, and nothing is copied, until the next commit asks for it.
    func close() {
        queue.sync {
            connection.withLock { connection in
                try? connection?.close()
                connection = nil
            }
        }
    }

    private func copy() {
        let isWhole = connection.withLock { connection in
            guard let queue = try? connection ?? Connections.openToCopy(path) else { return false }
            connection = queue
            return queue.writeWithoutTransaction(Self.copiesAll)
        }
        plan.withLock { $0.copied(isWhole: isWhole) }
    }

    /// False if the copy failed, or stopped before pages that a reader still needs, which SQLite reports as a success.
    private static func copiesAll(on db: Database) -> Bool {
        guard let copied = try? db.checkpoint(.passive) else { return false }
        return copied.walFrameCount == copied.checkpointedFrameCount
    }

    /// Since it was last asked.
    private static func pagesWritten(by db: Database) -> Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        // The call fills both numbers in.
        _ = unsafe sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
        return Int(pages)
    }
}
