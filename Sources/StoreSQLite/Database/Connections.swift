internal import Glibc
internal import GRDB

/// How a data file is opened.
enum Connections {
    /// Five seconds and a little: long enough for the command line to finish, short enough to be noticed.
    private static let busyLooksMax = 20_000
    /// Between two looks whether a locked file is free, in microseconds. SQLite's own waits grow to a tenth of a second, and a
    /// relay that commits without a pause lets go only for some microseconds each time: who looks so rarely may never find it free.
    private static let busyMicroseconds: UInt32 = 250
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

    /// A connection that cannot write.
    static func openToLook(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
