/// Why a connection is over.
package enum CloseReason: Sendable, Equatable {
    /// The peer sent a close frame. libwebsockets 4.1.6 shows the codes 1012, 1013 and 1014 as 1002.
    case peer(code: UInt16?, reason: String)

    /// `EventLoop.close` or a limit of ours ended it with this code.
    case local(code: UInt16)

    /// Nothing came for `Liveness.hangUpAfter`, or the connection did not open within `ClientConfiguration.connectTimeout`.
    case timedOut

    /// What waited to be sent grew over `Limits.outboxBytesMax` or `outboxMessagesMax`.
    case tooSlow

    /// It ended without a close frame, or was never reached; a sentence for a log.
    case failed(String)

    /// The server answered the opening handshake with this HTTP status instead of 101.
    case refused(status: UInt16)
}
