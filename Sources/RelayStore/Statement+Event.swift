internal import GRDB
internal import GRDBSQLite
internal import RelayCore

extension Statement {
    /// Executes `INSERT INTO events VALUES (?, ?, ?, ?)`, straight at SQLite: GRDB would box each value, and copy the bytes, for every
    /// event; see decision record 0013.
    func insert(_ id: Int64, _ event: LogEvent) throws {
        let statement = unsafe sqliteStatement
        defer {
            // A failed step is reported below; the reset would report the same again.
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        try check(unsafe sqlite3_bind_int64(statement, 1, id))
        try check(unsafe sqlite3_bind_int64(statement, 3, event.at))
        // Bound in place: the statement is done with them before they go.
        var kind = event.kind
        let code = try kind.withUTF8 { kind throws in
            try unsafe event.bytes.withUnsafeBytes { bytes throws in
                let text = unsafe UnsafeRawPointer(kind.baseAddress)?.assumingMemoryBound(to: CChar.self)
                try check(unsafe sqlite3_bind_text(statement, 2, text, Int32(kind.count), nil))
                // A blob of no bytes is still a blob, not NULL.
                try check(
                    unsafe bytes.isEmpty
                        ? sqlite3_bind_zeroblob(statement, 4, 0)
                        : sqlite3_bind_blob(statement, 4, bytes.baseAddress, Int32(bytes.count), nil))
                return unsafe sqlite3_step(statement)
            }
        }
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure(code) } }

    private func failure(_ code: Int32) -> DatabaseError {
        let message = unsafe sqlite3_db_handle(sqliteStatement).flatMap { unsafe sqlite3_errmsg($0) }
        return DatabaseError(
            resultCode: ResultCode(rawValue: code), message: unsafe message.map { unsafe String(cString: $0) }, sql: sql)
    }
}
