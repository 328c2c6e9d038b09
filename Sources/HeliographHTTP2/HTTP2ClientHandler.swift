/// Receives the events of a client's connections, on the loop's thread, and never during a call of one of the loop's methods, so
/// that it may call any of them.
package protocol HTTP2ClientHandler: AnyObject {
    func handle(_ event: HTTP2ClientEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop)
}

package enum HTTP2ClientEvent: Equatable, Sendable {
    /// The peer's SETTINGS. The first time, requests may be sent from now on; later, the limit has changed.
    case settingsReceived(streamsMax: Int)
    /// The complete response to a request; the last event of its stream.
    case responseReceived(HTTP2Message, HTTP2StreamID)
    /// The last event of a stream without a complete response.
    case streamEnded(HTTP2StreamID, HTTP2StreamEnd)
    /// The peer accepts no new stream. Streams above `lastStream` end with `.reset(.refusedStream)`; those up to it may still be
    /// answered.
    case goAwayReceived(lastStream: Int32, HTTP2ErrorCode, debug: [UInt8])
    /// The peer answered a `ping(_:)`.
    case pingAnswered
    /// The last event of a connection; each of its streams has ended.
    case closed(HTTP2CloseReason)
}
