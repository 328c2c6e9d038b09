/// Reason for which a link does not reconnect.
package struct LinkError: Error, Equatable, Sendable {
    package enum Kind: Sendable, Equatable {
        /// The relay does not know the token (any more).
        case unauthorised
        case refused, unreachable, failed
    }

    package let kind: Kind
    package let message: String
    /// Advice, if it is the same for every kind of client.
    package let advice: String?

    package init(_ kind: Kind, _ message: String, advice: String? = nil) {
        self.kind = kind
        self.message = message
        self.advice = advice
    }
}
