import HeliographClient

/// The reason why a command of this program itself failed.
struct CommandError: Error, CustomStringConvertible {
    enum Code {
        /// The given name names nothing.
        case notFound
        /// No relay runs on the data directory.
        case noRelay
        /// The person at the terminal declined.
        case declined
        /// Standard output accepts nothing more.
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
