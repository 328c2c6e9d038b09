/// Why the spool, or its disk, could not do what it was asked.
package struct SpoolError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// No room is left on the disk; it may come back.
        case full
        /// The disk failed, in a way that may pass.
        case failed
        /// The written bytes are gone, or others.
        case damaged
        /// Longer than a record may be.
        case tooLong
    }

    package let code: Code
    /// A sentence for a log.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
