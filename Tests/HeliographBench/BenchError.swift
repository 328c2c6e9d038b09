/// Why a run has no result.
package struct BenchError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The plan is impossible.
        case plan
        /// The relay cannot be reached or did not start.
        case unreachable
        /// The relay refused a connection or a message.
        case refused
        /// A subscriber missed an event, or saw one twice or too early.
        case sequence
        /// The peer violated the protocol.
        case badMessage
        /// The relay, or this program, exceeded a time limit.
        case tooSlow
        /// This machine could not provide a socket, file or process.
        case system
    }

    package let code: Code
    /// A sentence that names the place.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
