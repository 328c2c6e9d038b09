internal import RelayProtocol

/// Why a connection to the relay has ended.
package enum LinkEnd: Sendable, Equatable, CustomStringConvertible {
    /// Closed by the relay, with a code and its words, or without either.
    case peer(code: UInt16?, reason: String)
    /// Closed by us.
    case local(code: UInt16)
    /// Nothing came for longer than a living relay is silent, or it did not open in time.
    case timedOut
    /// More waited to be sent than may.
    case tooSlow
    /// The connection broke, or was never made; a sentence for a log.
    case failed(String)
    /// The opening handshake was answered with this HTTP status, and maybe with when to come back.
    case refused(status: UInt16, retryAfter: Duration? = nil)

    /// For an operator's log.
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

    /// For a person who watches. Codes that we have our own words for use those, without the advice, which is already being followed.
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
