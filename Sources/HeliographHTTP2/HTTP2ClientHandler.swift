/// Receives the events of a client's connections, on the loop's thread and never from inside a call of the loop's own methods: it may
/// call any of them.
package protocol HTTP2ClientHandler: AnyObject {
    func handle(_ event: HTTP2ClientEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop)
}

package enum HTTP2ClientEvent: Equatable, Sendable {
    /// The peer's SETTINGS: the first time this says that requests may be sent; later, that the limit has changed.
    case settingsReceived(streamsMax: Int)
    /// A request is answered in full; the last event of its stream.
    case responseReceived(HTTP2Message, HTTP2StreamID)
    /// The last event of a stream that was not answered.
    case streamEnded(HTTP2StreamID, HTTP2StreamEnd)
    /// No new stream will be taken. Streams above `lastStream` end with `.reset(.refusedStream)`; for those up to it an answer
    /// may still come.
    case goAwayReceived(lastStream: Int32, HTTP2ErrorCode, debug: [UInt8])
    /// The peer answered a `ping(_:)`.
    case pingAnswered
    /// The last event of a connection; each of its streams has ended.
    case closed(HTTP2CloseReason)
}
