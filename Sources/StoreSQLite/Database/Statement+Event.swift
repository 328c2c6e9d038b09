internal import GRDB
internal import GRDBSQLite
internal import RelayCore
internal import RelayStore

extension Statement {
    /// Executes `INSERT INTO events VALUES (?, ?, ?, ?, ?)` directly with SQLite: GRDB would box each value, and copy the bytes,
    /// for every event; see decision record 0013.
    func insert(_ id: Int64, _ event: LogEvent) throws {
        let statement = unsafe sqliteStatement
        defer {
            // A failed step is reported below; the reset would report the same error again.
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        try check(unsafe sqlite3_bind_int64(statement, 1, id))
        try check(unsafe sqlite3_bind_int64(statement, 3, event.at))
        // Bound without copies: the statement has finished before they are deallocated.
        var kind = event.kind
        let code = try kind.withUTF8 { kind throws in
            try unsafe event.bytes.withUnsafeBytes { bytes throws in
                let text = unsafe UnsafeRawPointer(kind.baseAddress)?.assumingMemoryBound(to: CChar.self)
                try check(unsafe sqlite3_bind_text(statement, 2, text, Int32(kind.count), nil))
                // Without this, an empty blob would be bound as NULL.
                try check(
                    unsafe bytes.isEmpty
                        ? sqlite3_bind_zeroblob(statement, 4, 0)
                        : sqlite3_bind_blob(statement, 4, bytes.baseAddress, Int32(bytes.count), nil))
                let checksum = unsafe RowChecksum(id: id, kind: UnsafeRawBufferPointer(kind), at: event.at, bytes: bytes)
                try check(unsafe sqlite3_bind_int64(statement, 5, checksum.column))
                return unsafe sqlite3_step(statement)
            }
        }
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// Executes a `SELECT id, kind, at, bytes, checksum FROM events …` in the same way, and calls `body` with each row until it
    /// returns false. The bytes belong to SQLite and are valid until `body` returns.
    func forEachEvent(
        _ arguments: StatementArguments = [], _ body: (_ id: Int64, _ isIntact: Bool, UnsafeRawBufferPointer) -> Bool
    ) throws {
        try setArguments(arguments)
        let (statement, columns) = unsafe (sqliteStatement, SQLColumns(self))
        defer { unsafe sqlite3_reset(statement) }
        while true {
            let code = unsafe sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            let id = columns.integer(0)
            let bytes = unsafe columns.bytes(3)
            let checksum = unsafe RowChecksum(id: id, kind: columns.bytes(1), at: columns.integer(2), bytes: bytes)
            let isIntact = checksum.matches(columns.isNull(4) ? nil : columns.integer(4))
            guard unsafe body(id, isIntact, bytes) else { return }
        }
    }
}
