internal import GRDB
internal import HeliographPlatform
internal import RelayCore

extension SQLiteStoreError: CustomStringConvertible {
    /// The message, with the underlying error if the message does not include it: SQLite's number and text, not the statement,
    /// which means nothing to people.
    package var description: String {
        switch (code, underlying) {
        case (.full, _), (.readOnly, _), (.corrupt, _), (.busy, _), (_, nil), (_, is FolderError): message
        case (_, let error as DatabaseError):
            "\(message) (SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no words"))"
        case (_, let error?): "\(message) (\(error))"
        }
    }
}

extension SQLiteStoreError {
    /// Maps an error of SQLite about the file at `path`.
    ///
    /// A statement's arguments are never included: they could be a digest.
    init(_ error: any Error, path: String) {
        if let error = error as? SQLiteStoreError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.cannotOpen, "\(path) cannot be opened.", underlying: error)
            return
        }
        switch error.resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(.cannotOpen, "\(path) cannot be opened: is its directory there, and writable?", underlying: error)
        case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_DBMOVED:
            self.init(
                .readOnly, "\(path) was moved or removed while it was in use. Start the relay again.", underlying: error)
        case .SQLITE_READONLY:
            self = .readOnly(path: path, underlying: error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .corrupt(path: path, error.message ?? "unknown", underlying: error)
        case .SQLITE_FULL:
            self = .full(path: path, underlying: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            self.init(.busy, "Another process has kept \(path) locked for too long.", underlying: error)
        case .SQLITE_CONSTRAINT:
            self.init(.conflict, "This contradicts what is stored: \(error.message ?? "unknown").", underlying: error)
        case .SQLITE_MISUSE:
            self.init(.cannotOpen, "\(path) is closed.", underlying: error)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_CORRUPTFS:
            self = .corrupt(path: path, "its disk says so", underlying: error)
        case .SQLITE_IOERR:
            self.init(.io, "The disk of \(path) reported an error.", underlying: error)
        default:
            self.init(.io, "SQLite did not do what was asked of \(path).", underlying: error)
        }
    }

    static func full(path: String, underlying: (any Error)? = nil) -> SQLiteStoreError {
        SQLiteStoreError(.full, "The disk of \(path) is full: \(DiskMend.full).", underlying: underlying)
    }

    static func readOnly(path: String, underlying: any Error) -> SQLiteStoreError {
        SQLiteStoreError(
            .readOnly, "\(path) cannot be written: the file, its directory or its disk is read-only.", underlying: underlying)
    }

    static func newerSchema(path: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .newerSchema, "\(path) was written by a newer version of Heliograph. Run that version, or restore a backup.")
    }

    static func lost(path: String, held: Int64, known: Int64) -> SQLiteStoreError {
        SQLiteStoreError(
            .lost,
            """
            \(path) has \(held) events, and the relay that ran here last had \(known): an older copy was put in its place, or its \
            -wal is lost. Nothing was touched. Put the newer file back if you have it; else `heliograph restore FILE --force` puts a \
            backup in its place, `heliograph restore --as-is` goes on with what is there, and `heliograph restore --anew` begins afresh.
            """)
    }

    static func corrupt(path: String, _ what: String, underlying: (any Error)? = nil) -> SQLiteStoreError {
        SQLiteStoreError(
            .corrupt,
            """
            \(path) is damaged (\(what)). It was left as it is. `heliograph restore FILE --force` puts a backup in its place, \
            `heliograph restore --anew` lets the relay begin afresh; both keep the damaged file under another name.
            """, underlying: underlying)
    }
}

extension LogError {
    /// Maps an error in a transaction, SQLite's or ours, for the user of the store at `path`.
    init(_ error: any Error, path: String) {
        self = error as? LogError ?? LogError(SQLiteStoreError(error, path: path))
    }

    init(_ error: SQLiteStoreError) { self.init(Self.code(of: error.code), error.message, underlying: error) }

    private static func code(of code: SQLiteStoreError.Code) -> Code {
        switch code {
        case .io: .inDoubt
        case .conflict: .conflict
        case .full: .full
        case .corrupt, .lost: .damaged(.store)
        case .damaged: .damaged(.record)
        case .busy: .unreachable(isPassing: true)
        case .absent, .cannotOpen, .newerSchema, .readOnly: .unreachable(isPassing: false)
        }
    }

    /// True if SQLite itself found no space, rather than the rules about the space reserved for decisions.
    var isFullByFile: Bool {
        guard let error = underlying as? SQLiteStoreError else { return false }
        return error.code == .full && error.underlying is DatabaseError
    }
}
