/// Why a connection is gone, or was not opened; whatever carried it.
package enum LinkEnd: Sendable, Equatable {
    /// The peer sent a close frame.
    case peer(code: UInt16?, reason: String)
    /// It was closed here.
    case local(code: UInt16)
    case timedOut
    /// Too much waited to be sent.
    case tooSlow
    /// It ended without a close frame, or was never reached; a sentence.
    case failed(String)
    /// The opening handshake was answered with this HTTP status.
    case refused(status: UInt16, retryAfter: Duration? = nil)
}
