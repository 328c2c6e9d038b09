/// Why a person's words are not sent to a sealed session: a closed code and a sentence.
package struct SealingError: Error, Equatable, Sendable {
    package enum Code: Sendable, Equatable {
        case tooLong
        /// Not in the offer that the host sealed, or of a kind that cannot be sealed.
        case notOffered
        case unknownHost
        case noKey
        /// The host has a newer epoch than the newest key here.
        case oldKey
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
