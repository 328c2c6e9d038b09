/// Exit status of a client command.
package enum ClientExit: Int32, Sendable, CaseIterable {
    case done = 0
    case refused = 1
    case usage = 2
    case unauthorised = 3
    case unreachable = 4
    case notFound = 5
    case timedOut = 6
    case failed = 7

    package var meaning: String {
        switch self {
        case .done: "done"
        case .refused: "refused by relay or host, decided otherwise by somebody, or too late"
        case .usage: "the command line does not make sense, or a name is ambiguous"
        case .unauthorised: "this machine is not paired, may not do that, or its token was revoked"
        case .unreachable: "the relay cannot be reached"
        case .notFound: "there is no such session or approval"
        case .timedOut: "no answer or outcome in time; the relay keeps what it has"
        case .failed: "something on this machine failed, or the relay speaks another version"
        }
    }

    /// The exit codes, as `--help` lists them.
    package static var help: String {
        "EXIT CODES\n" + allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }
}
