/// An error of the spool or its disk.
package struct SpoolError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The disk is full; room may come back.
        case full
        /// The disk failed, in a way that may pass.
        case failed
        /// The written bytes are missing or have changed.
        case damaged
        /// The record is longer than permitted.
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
