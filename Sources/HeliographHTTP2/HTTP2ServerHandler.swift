/// Receives the events of a listener's connections, on the loop's thread, and never during a call of one of the loop's methods, so
/// that it may call any of them.
package protocol HTTP2ServerHandler: AnyObject {
    func handle(_ event: HTTP2ServerEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop)
}

package enum HTTP2ServerEvent: Equatable, Sendable {
    /// TLS is established and the client has begun HTTP/2. The first event of a connection. `peer` is its address.
    case opened(peer: String)
    /// The client has acknowledged the last SETTINGS sent.
    case settingsAcknowledged
    /// A complete request.
    case requestReceived(HTTP2Message, HTTP2StreamID)
    /// The last event of a stream, even if its request was never completed.
    case streamEnded(HTTP2StreamID, HTTP2StreamEnd)
    case goAwayReceived(HTTP2ErrorCode)
    /// The last event of a connection; each of its streams has ended.
    case closed(HTTP2CloseReason)
}
