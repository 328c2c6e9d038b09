/// An error: a code for the program and a sentence for the person.
public struct LiveActivityError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// This platform has no Live Activities.
        case unsupported
        /// The person switched Live Activities off, in Settings or in the app.
        case disabled
        /// A card starts only while the app is in the foreground, or by push.
        case notForeground
        /// The system refused for its own reasons, such as too many cards.
        case refusedBySystem
        /// There is no live card for this session.
        case noCard
        case badLink, badPayload, badCode
        /// Sealed text that was changed, or sealed for another key.
        case notAuthentic
        case keychain
        /// The saved state of the last run could not be read or written.
        case storage
        /// The relay did not answer; it may have received the request.
        case unreachable
        /// The relay asks to come back later.
        case busy
        /// The relay does not know the token: the person has to pair again.
        case unauthorised
        /// The relay does not know the subject of the request.
        case notFound
        /// The relay will never accept this.
        case refused
        /// The relay, or a proxy in between, sent a response that is not the relay's.
        case badAnswer
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
