/// Why a request had no answer.
package struct HTTPError: Error, Equatable, Sendable {
    package enum Code: Sendable {
        /// No connection, or none that lasted.
        case unreachable
        case timedOut
        /// What answered is not a relay.
        case badAnswer
        /// It shows a certificate that nobody answers for here, or one for another name.
        case untrusted
        /// Something is missing on this machine.
        case local
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
