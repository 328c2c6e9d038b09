internal import GRDB
internal import GRDBSQLite

/// Runs the statements of every commit directly with SQLite: GRDB boxes each value on the way in and each row on the way out, which
/// took half of the time of a small transaction; see decision record 0013.
extension Statement {
    /// Executes a statement that returns no rows.
    func run(_ bind: (inout SQLBinder) -> Void = { _ in }) throws {
        _ = try step(bind) { _ in }
    }

    /// The first row, nil if there is none.
    func first<Value>(_ bind: (inout SQLBinder) -> Void, read: (SQLColumns) -> Value) throws -> Value? {
        try step(bind, read)
    }

    @inline(__always)
    private func step<Value>(_ bind: (inout SQLBinder) -> Void, _ read: (SQLColumns) -> Value) throws -> Value? {
        let statement = unsafe sqliteStatement
        defer {
            // A failed step is reported below; the reset would report the same error again.
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        var binder = unsafe SQLBinder(statement)
        bind(&binder)
        try check(binder.code)
        let code = unsafe sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return read(SQLColumns(self))
        case SQLITE_DONE: return nil
        default: throw failure(code)
        }
    }

    func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure(code) } }

    func failure(_ code: Int32) -> DatabaseError {
        let message = unsafe sqlite3_db_handle(sqliteStatement).flatMap { unsafe sqlite3_errmsg($0) }
        return DatabaseError(
            resultCode: ResultCode(rawValue: code), message: unsafe message.map { unsafe String(cString: $0) }, sql: sql)
    }
}

/// Binds a statement's values, in their order.
@safe struct SQLBinder {
    private let statement: SQLiteStatement
    private var place: Int32 = 0
    /// SQLite's code for the first value that could not be bound.
    private(set) var code = SQLITE_OK

    fileprivate init(_ statement: SQLiteStatement) { unsafe self.statement = unsafe statement }

    mutating func add(_ number: Int64) {
        take(unsafe sqlite3_bind_int64(statement, next(), number))
    }

    mutating func add(_ number: Int64?) {
        if let number { add(number) } else { take(unsafe sqlite3_bind_null(statement, next())) }
    }

    mutating func add(_ text: String) {
        var text = text
        let (statement, place) = unsafe (statement, next())
        take(
            text.withUTF8 { text in
                // Empty text needs an address too.
                guard let start = text.baseAddress else { return unsafe sqlite3_bind_text(statement, place, "", 0, nil) }
                let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
                return unsafe sqlite3_bind_text(statement, place, bytes, Int32(text.count), Self.copied)
            })
    }

    mutating func add(_ blob: [UInt8]) {
        let (statement, place) = unsafe (statement, next())
        // Without this, an empty blob would be bound as NULL.
        take(
            unsafe blob.isEmpty
                ? sqlite3_bind_zeroblob(statement, place, 0)
                : blob.withUnsafeBytes {
                    unsafe sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), Self.copied)
                })
    }

    private mutating func next() -> Int32 {
        place += 1
        return place
    }

    private mutating func take(_ code: Int32) {
        if self.code == SQLITE_OK { self.code = code }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes.
    private static let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// The current row of a statement.
struct SQLColumns {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement.sqliteStatement, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String { unsafe String(decoding: bytes(column), as: UTF8.self) }

    /// The column's bytes, which belong to SQLite and are valid until the next step. Text is UTF-8 in our files, so its blob is its
    /// bytes.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let address = unsafe sqlite3_column_blob(statement.sqliteStatement, column)
        return unsafe UnsafeRawBufferPointer(
            start: address, count: Int(sqlite3_column_bytes(statement.sqliteStatement, column)))
    }
}
