/// A violation of the protocol by the other end of a link, which ends the link.
package struct NodeLinkError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// A record is incomplete.
        case cutOff
        case unknownKind
        /// A value exceeds its limit.
        case tooLarge
        /// A text is not UTF-8, or a peer's number contradicts earlier messages.
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
