/// Error of the store: a closed code, a sentence for people, and the underlying error.
package struct SQLiteStoreError: Error, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// The data directory or file cannot be opened, or is of the wrong kind.
        case cannotOpen
        /// There is no relay's data, and never was.
        case absent
        /// A newer version of Heliograph has written the file; it was left unchanged.
        case newerSchema
        /// The file is damaged, or not a data file; it was left unchanged.
        case corrupt
        /// Data that a relay acknowledged here is missing, all of it or the newest; the rest was left unchanged.
        case lost
        /// One record is damaged. It is not shown; everything else continues.
        case damaged
        /// The disk is full. Nothing was written; a retry works once there is space.
        case full
        /// The file cannot be written.
        case readOnly
        /// The disk reported an error, or SQLite reported something unexpected.
        case io
        /// Another process holds a lock that is needed.
        case busy
        /// The data to be written contradicts what is stored. Nothing was written.
        case conflict
    }

    package let code: Code
    package let message: String
    package let underlying: (any Error)?

    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}
