/// Why a person's words do not go out to a session that is sealed: a closed code and a sentence.
package struct SealingError: Error, Equatable, Sendable {
    package enum Code: Sendable, Equatable {
        case tooLong
        /// Not in the offer that the host sealed, or nothing that it takes sealed.
        case notOffered
        case unknownHost
        case noKey
        /// The host has begun a newer epoch than the newest key here.
        case oldKey
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
