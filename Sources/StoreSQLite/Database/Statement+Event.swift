internal import GRDB
internal import GRDBSQLite
internal import RelayCore
internal import RelayStore

extension Statement {
    /// Events of one `eventsInsertion`. With eight, an event takes a quarter fewer instructions than alone, commit included; twice as
    /// many gain little more.
    static let eventsAtOnce = 8
    /// `OR FAIL`, as a statement of several rows would else keep copies of the pages that it changes, to take back its first rows. A
    /// failure takes the whole transaction back.
    static let eventInsertion = "INSERT OR FAIL INTO events VALUES (?, ?, ?, ?, ?)"
    static let eventsInsertion = eventInsertion + String(repeating: ", (?, ?, ?, ?, ?)", count: eventsAtOnce - 1)

    /// Executes one of these statements directly with SQLite, for as many events as it has rows, with the first one's id: GRDB would
    /// box each value, and copy the bytes, for every event; see decision record 0013.
    func insert(_ events: ArraySlice<LogEvent>, from id: Int64) throws {
        defer {
            // A failed step is reported below; the reset would report the same error again.
            unsafe sqlite3_reset(sqliteStatement)
            unsafe sqlite3_clear_bindings(sqliteStatement)
        }
        let code = try step(events, from: id, at: 1)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// Binds an event from this parameter on, and in its closure the others, as the step needs the bytes of all: they are bound
    /// without copies.
    private func step(_ events: ArraySlice<LogEvent>, from id: Int64, at place: Int32) throws -> Int32 {
        guard let event = events.first else { return unsafe sqlite3_step(sqliteStatement) }
        let statement = unsafe sqliteStatement
        try check(unsafe sqlite3_bind_int64(statement, place, id))
        try check(unsafe sqlite3_bind_int64(statement, place + 2, event.at))
        var kind = event.kind
        return try kind.withUTF8 { kind throws in
            try unsafe event.bytes.withUnsafeBytes { bytes throws in
                let text = unsafe UnsafeRawPointer(kind.baseAddress)?.assumingMemoryBound(to: CChar.self)
                try check(unsafe sqlite3_bind_text(statement, place + 1, text, Int32(kind.count), nil))
                // Without this, an empty blob would be bound as NULL.
                try check(
                    unsafe bytes.isEmpty
                        ? sqlite3_bind_zeroblob(statement, place + 3, 0)
                        : sqlite3_bind_blob(statement, place + 3, bytes.baseAddress, Int32(bytes.count), nil))
                let checksum = unsafe RowChecksum(id: id, kind: UnsafeRawBufferPointer(kind), at: event.at, bytes: bytes)
                try check(unsafe sqlite3_bind_int64(statement, place + 4, checksum.column))
                return try step(events.dropFirst(), from: id + 1, at: place + 5)
            }
        }
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
