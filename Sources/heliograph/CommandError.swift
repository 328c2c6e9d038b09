import HeliographClient

/// Why a command of this program itself failed.
struct CommandError: Error, CustomStringConvertible {
    enum Code {
        /// Nothing has the name that was given.
        case notFound
        /// No relay runs on the data directory.
        case noRelay
        /// The person at the terminal did not mean it.
        case declined
        /// Standard output takes nothing.
        case output
        /// The token is refused by the relay, but the change is not on disk.
        case unwritten
    }

    let code: Code
    /// A sentence for the person at the terminal.
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    var exit: ClientExit {
        switch code {
        case .notFound: .notFound
        case .noRelay: .unreachable
        case .output, .declined: .refused
        case .unwritten: .failed
        }
    }
}
