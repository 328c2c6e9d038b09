/// A violation of the protocol by the other end of a link, which ends the link.
package struct NodeLinkError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// A record ends in its middle.
        case cutOff
        case unknownKind
        /// Larger than a named limit.
        case tooLarge
        /// A text is not UTF-8, or the number of a peer does not fit earlier messages.
        case badValue
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
