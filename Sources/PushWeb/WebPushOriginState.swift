package import HeliographHTTP2

/// A look at the traffic with one push service.
package struct WebPushOriginState: Equatable, Sendable {
    package var origin: WebPushOrigin
    /// Requests that wait to be sent, now or later.
    package var waiting: Int
    /// Requests that wait for their answer.
    package var flying: Int
    /// What the service says of our token, where nothing is sent because of it.
    package var barredReason: String?
    /// What stood in the way last; a sentence, nil where all is well.
    package var trouble: String?
    /// Nil where there is none.
    package var connection: HTTP2ConnectionState?
}
