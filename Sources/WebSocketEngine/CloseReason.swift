/// Why a connection has ended.
package enum CloseReason: Sendable, Equatable, CustomStringConvertible {
    /// The peer sent a close frame. libwebsockets 4.1.6 shows the codes 1012, 1013 and 1014 as 1002.
    case peer(code: UInt16?, reason: String)

    /// `EventLoop.close` or a limit of ours ended it with this code.
    case local(code: UInt16)

    /// Nothing was received for `Liveness.hangUpAfter`, or the connection did not open within `ClientConfiguration.connectTimeout`.
    case timedOut

    /// The outbox grew beyond `Limits.outboxBytesMax` or `outboxMessagesMax`.
    case tooSlow

    /// The connection ended without a close frame, or was never established; a sentence for a log.
    case failed(String)

    /// The server answered the opening handshake with this HTTP status instead of 101, perhaps with a time to retry after.
    case refused(status: UInt16, retryAfter: Duration? = nil)

    package var description: String {
        switch self {
        case .peer(nil, _): "the peer closed and gave no code"
        case .peer(let code?, ""): "the peer closed with \(code)"
        case .peer(let code?, let reason): "the peer closed with \(code): \(reason)"
        case .local(let code): "closed with \(code)"
        case .timedOut: "nothing came in time"
        case .tooSlow: "the peer did not read what was sent"
        case .failed(let sentence): sentence
        case .refused(let status, nil): "refused with HTTP \(status)"
        case .refused(let status, let wait?): "refused with HTTP \(status), to come back in \(wait.components.seconds) s"
        }
    }
}
