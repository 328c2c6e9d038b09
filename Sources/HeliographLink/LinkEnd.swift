internal import RelayProtocol

/// Reason for the end of a connection to the relay.
package enum LinkEnd: Sendable, Equatable, CustomStringConvertible {
    /// Closed by the relay, with a code and a reason, or without either.
    case peer(code: UInt16?, reason: String)
    /// Closed by this side.
    case local(code: UInt16)
    /// The relay was silent for too long, or the connection was not established in time.
    case timedOut
    /// More bytes waited to be sent than are allowed.
    case tooSlow
    /// The connection broke, or could not be made; a sentence for a log.
    case failed(String)
    /// The opening handshake was answered with this HTTP status. `retryAfter`: the requested wait, if there was one.
    case refused(status: UInt16, retryAfter: Duration? = nil)

    /// The end as a line of an operator's log.
    package var description: String {
        switch self {
        case .peer(nil, _): "the relay closed and gave no code"
        case .peer(let code?, let reason): "the relay closed with \(code)\(reason.isEmpty ? "" : ": \(reason)")"
        case .local(let code): "closed with \(code)"
        case .timedOut: "nothing came in time"
        case .tooSlow: "the relay did not read what was sent"
        case .failed(let sentence): sentence
        case .refused(let status, let wait):
            "refused with HTTP \(status)\(wait.map { ", to come back in \($0.components.seconds) s" } ?? "")"
        }
    }

    /// A text for people. Codes with a text of ours use that, without advice that is followed automatically.
    package var sentence: String {
        switch self {
        case .peer(nil, _): "the relay hung up"
        case .peer(let code?, let text):
            CloseCode(rawValue: code).map { String($0.reason.prefix { $0 != ":" }) }
                ?? (text.isEmpty ? "closed with \(code)" : text)
        case .local(let code): "closed here with \(code)"
        case .timedOut: "nothing was heard"
        case .tooSlow: "too much waited to be sent"
        case .failed(let text): text
        case .refused(let status, _): "HTTP \(status)"
        }
    }
}
