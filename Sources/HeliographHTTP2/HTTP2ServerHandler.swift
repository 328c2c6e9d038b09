/// Receives the events of a listener's connections, on the loop's thread and never from inside a call of the loop's own methods: it may
/// call any of them.
package protocol HTTP2ServerHandler: AnyObject {
    func handle(_ event: HTTP2ServerEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop)
}

package enum HTTP2ServerEvent: Equatable, Sendable {
    /// TLS is up and a client speaks HTTP/2. The first event of a connection. `peer` is an address.
    case opened(peer: String)
    /// The client has taken the last SETTINGS that were sent.
    case settingsAcknowledged
    /// A request is whole.
    case requestReceived(HTTP2Message, HTTP2StreamID)
    /// The last event of a stream, whatever came of it. Also of one whose request never became whole.
    case streamEnded(HTTP2StreamID, HTTP2StreamEnd)
    case goAwayReceived(HTTP2ErrorCode)
    /// The last event of a connection; each of its streams has ended.
    case closed(HTTP2CloseReason)
}
