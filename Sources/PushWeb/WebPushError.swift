/// Why something given to this module cannot be used.
package struct WebPushError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// Not the address of a subscription.
        case invalidEndpoint
        /// The address belongs to a service that is not allowed.
        case serviceNotAllowed
        /// The keys are not of the form that browsers make.
        case invalidKeys
        case textTooLong
        /// A `sub` that push services refuse.
        case invalidContact
        /// The file of our own key cannot be read, made or trusted.
        case keyUnusable
    }

    package let code: Code

    /// A sentence for the operator, without secrets such as the path of an endpoint.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
