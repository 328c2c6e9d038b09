internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies a relay's write-ahead log into its data file, on its own thread and connection: SQLite's own copies run inside a commit,
/// and delayed everything by a tenth of a second.
///
/// A copy has no part in durability: pages synced in the log are committed, whether or not they are in the file. So its errors are
/// ignored, and the next copy begins after the last successful one.
final class Checkpointer: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "heliograph.checkpoints")
    private let plan = Mutex(CheckpointPlan())
    /// Opened by the first copy; used only on the queue.
    private let connection = Mutex<DatabaseQueue?>(nil)

    init(_ path: String) { self.path = path }

    /// Turns off the automatic copies of `pool`, the pool that writes; from then on this object does them.
    func takeOver(from pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    /// Called after each commit, on its connection and outside of transactions.
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

    /// Closes the file; nothing is copied until the next commit starts a copy.
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

    /// Number of pages written since the last call.
    private static func pagesWritten(by db: Database) -> Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        // The call sets both numbers.
        _ = unsafe sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
        return Int(pages)
    }
}
