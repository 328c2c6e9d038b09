/// Why something about a relay cannot be done, as a sentence for the person who asked for it.
package struct ServerError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        case settings
        /// The machine gives too little: descriptors, threads, addresses, rights.
        case machine
        /// A private file cannot be written.
        case file
        /// `push.json`, and what shall be put into it.
        case push
        case profiles
        /// The change is on disk, but not in use.
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
