/// Error of a request that got no usable answer.
package struct HTTPError: Error, Equatable, Sendable {
    package enum Code: Sendable {
        /// There is no connection, or it was lost.
        case unreachable
        case timedOut
        /// The answer is not from a relay.
        case badAnswer
        /// The certificate is from no authority trusted here, or for another name.
        case untrusted
        /// A proxy of the network refuses, does not answer, or is of a kind that is not supported.
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
