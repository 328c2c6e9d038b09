/// Why a store could not do what it was asked to: what its caller has to know, a sentence for people, and what lies beneath.
///
/// Every store says it in these words, whatever its own are.
package struct LogError: Error, Sendable {
    package enum Code: Sendable, Hashable {
        /// Unknown whether the batch is in the log: it is, it is not, or it turns up at the next start. The same batch may be committed
        /// again, which takes effect once. An operator looks at the disk, or at the way to the database.
        case inDoubt
        /// The batch contradicts what is stored. Nothing was written; the caller is wrong about what is stored.
        case conflict
        /// The store has no place for what was to be written, whatever is stored: a text with a NUL, a number that is too large. Nothing was
        /// written; the same is refused again.
        case unfit
        /// There is no room. Nothing was written; it works again when an operator has made some.
        case full
        /// Stored data is not as it was written. It was left as it is, and is not shown.
        case damaged(Extent)
        /// The store cannot be used: its file, its rights, its server, or another process in the way. Nothing was written.
        /// `isPassing`: it may work when tried again, without an operator.
        case unreachable(isPassing: Bool)
        /// Another relay has taken over the log. Nothing was written, and this relay can write nothing more.
        case fenced
    }

    /// Extent of the damage.
    package enum Extent: Sendable, Hashable {
        /// The requested record. Everything else goes on.
        case record
        /// Too much to write any more: an operator puts a backup in its place.
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
    /// For a log: with the underlying error, if that says more.
    package var description: String {
        guard let below = underlying.map({ "\($0)" }), !message.contains(below) else { return message }
        return below.hasPrefix(message) ? below : "\(message) (\(below))"
    }
}
