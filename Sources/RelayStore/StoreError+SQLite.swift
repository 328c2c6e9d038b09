internal import HeliographPlatform
internal import GRDB

extension StoreError: CustomStringConvertible {
    /// With what lies beneath, where the message leaves that open. SQLite's number and words, not the statement: it says nothing to people.
    package var description: String {
        switch (code, underlying) {
        case (.full, _), (.readOnly, _), (.corrupt, _), (.busy, _), (_, nil): message
        case (_, let error as DatabaseError):
            "\(message) (SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no words"))"
        case (_, let error?): "\(message) (\(error))"
        }
    }
}

extension StoreError {
    /// Says in our words what SQLite says of the file at `path`.
    ///
    /// A statement's arguments are never part of it: they could be a digest.
    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
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

    static func full(path: String, underlying: (any Error)? = nil) -> StoreError {
        StoreError(.full, "The disk of \(path) is full: \(DiskMend.full).", underlying: underlying)
    }

    static func readOnly(path: String, underlying: any Error) -> StoreError {
        StoreError(
            .readOnly, "\(path) cannot be written: the file, its directory or its disk is read-only.", underlying: underlying)
    }

    static func newerSchema(path: String) -> StoreError {
        StoreError(.newerSchema, "\(path) was written by a newer version of Heliograph. Run that version, or restore a backup.")
    }

    static func corrupt(path: String, _ what: String, underlying: (any Error)? = nil) -> StoreError {
        StoreError(
            .corrupt,
            """
            \(path) is damaged (\(what)). It was left as it is. `heliograph restore FILE --force` puts a backup in its place, \
            `heliograph restore --anew` lets the relay begin afresh; both keep the damaged file under another name.
            """, underlying: underlying)
    }
}
