/// Error of an operation on a relay, as a sentence for the person who requested it.
package struct ServerError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        case settings
        /// The machine does not provide enough: descriptors, threads, addresses, permissions.
        case machine
        /// A private file cannot be written.
        case file
        /// `push.json`, or a key to be added to it, is invalid.
        case push
        case profiles
        /// The change is on disk, but the running relay does not use it yet.
        case tokens
        case workspace
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
