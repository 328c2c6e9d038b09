/// Why the store could not do what it was asked to: a closed code, a sentence for people, and what lies beneath.
package struct SQLiteStoreError: Error, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// The data directory or file cannot be opened, or is not as it must be.
        case cannotOpen
        /// No relay ever kept its data there.
        case absent
        /// A newer version of Heliograph has written the file; it was left as it is.
        case newerSchema
        /// The file is damaged, or is none of ours; it was left as it is.
        case corrupt
        /// Data that a relay acknowledged here is gone, all of it or the newest; the rest was left as it is.
        case lost
        /// One record is not as it was written. It is not shown; everything else goes on.
        case damaged
        /// The disk is full. Nothing was written; it works again when there is room.
        case full
        /// The file cannot be written.
        case readOnly
        /// The disk reported an error, or SQLite did something that is not foreseen.
        case io
        /// Another process holds what is needed here.
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
