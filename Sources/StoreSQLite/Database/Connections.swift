internal import Glibc
internal import GRDB

/// Opens connections to a data file.
enum Connections {
    /// Number of attempts while the file is locked, five seconds or a little more: long enough for the command line to finish,
    /// short enough to be noticed.
    private static let busyLooksMax = 20_000
    /// Time between two attempts on a locked file, in microseconds. SQLite's own waits grow to a tenth of a second, and a relay
    /// that commits without a pause releases the lock only for some microseconds each time, so that rare attempts may never
    /// succeed.
    private static let busyMicroseconds: UInt32 = 250
    /// Size to which a WAL is cut back after a long read had kept it from being emptied.
    private static let walBytesKept = 64 << 20

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .callback { looks in
            usleep(busyMicroseconds)
            return looks < busyLooksMax
        }
        configuration.label = "RelayStore"
        configuration.prepareDatabase { db in
            // The first detects damaged pages before their content is used. The second overwrites deleted data: Debian's SQLite
            // does so by default, others need not.
            try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    static func open(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // After GRDB's own NORMAL, which it sets when it turns on the WAL.
            try db.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(walBytesKept);
                    PRAGMA wal_autocheckpoint = \(CheckpointPlan.pagesMax)
                    """)
            let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            precondition(synchronous == 2, "every commit must be synced: 2 is FULL")
        }
        return pool
    }

    /// A connection for copying the write-ahead log into the file, as durably as commits are written.
    static func openToCopy(_ path: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(walBytesKept)")
        }
        return queue
    }

    /// A connection that cannot write.
    static func openToLook(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
