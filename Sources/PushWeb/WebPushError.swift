/// Why something given to this module cannot be used.
package struct WebPushError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// Not the address of a subscription.
        case invalidEndpoint
        /// An address of a service that we do not call.
        case serviceNotAllowed
        /// Keys that no browser makes.
        case invalidKeys
        case textTooLong
        /// A `sub` that push services refuse.
        case invalidContact
        /// The file of our own key cannot be read, made or trusted.
        case keyUnusable
    }

    package let code: Code

    /// A sentence for the operator; never a secret, which the path of an endpoint is.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
