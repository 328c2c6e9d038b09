/// Error of a store: a code for its caller, a sentence for people, and the underlying error.
///
/// Every store throws this type, whatever its database.
package struct LogError: Error, Sendable {
    package enum Code: Sendable, Hashable {
        /// Unknown whether the batch is in the log: it may be, or may appear at the next start. The same batch may be committed
        /// again, which takes effect once. The operator should check the disk, or the connection to the database.
        case inDoubt
        /// The batch contradicts what is stored, because its caller has a wrong view of it. Nothing was written.
        case conflict
        /// The store cannot represent what was to be written: a text with a NUL, a number that is too large. Nothing was written,
        /// and a retry is refused too.
        case unfit
        /// The disk is full. Nothing was written; a retry works once an operator has freed space.
        case full
        /// Stored data was changed since it was written. It is kept as it is, and not shown.
        case damaged(Extent)
        /// The store cannot be used: its file, its permissions, its server, or another process prevent it. Nothing was written.
        /// `isPassing`: a retry may work without an operator.
        case unreachable(isPassing: Bool)
        /// Another relay has taken over the log. Nothing was written, and this relay can no longer write anything.
        case fenced
    }

    /// Extent of the damage.
    package enum Extent: Sendable, Hashable {
        /// The requested record. Everything else continues.
        case record
        /// So much that nothing is written any more: an operator has to restore a backup.
        case store
    }

    package let code: Code
    package let message: String
    /// The store's own error, if it has one.
    package let underlying: (any Error)?

    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension LogError: CustomStringConvertible {
    /// Text for the operator's log: the message, with the underlying error if that says more.
    package var description: String {
        guard let below = underlying.map({ "\($0)" }), !message.contains(below) else { return message }
        return below.hasPrefix(message) ? below : "\(message) (\(below))"
    }
}
