/// Why a request had no answer.
package struct HTTPError: Error, Equatable, Sendable {
    package enum Code: Sendable {
        /// No connection, or none that lasted.
        case unreachable
        case timedOut
        /// The server that answered is not a relay.
        case badAnswer
        /// The certificate is of no authority trusted here, or for another name.
        case untrusted
        /// A proxy of the network refuses, is not there, or is of a kind that we cannot use.
        case proxy
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
