package import HeliographHTTP2

/// State of the traffic with one push service.
package struct WebPushOriginState: Equatable, Sendable {
    package var origin: WebPushOrigin
    /// Requests that wait to be sent, now or later.
    package var waiting: Int
    /// Requests that wait for their response.
    package var flying: Int
    /// The service's reason for refusing our token, if nothing is sent because of it.
    package var barredReason: String?
    /// The last problem; a sentence, nil if there is none.
    package var trouble: String?
    /// State of the connection; nil if there is none.
    package var connection: HTTP2ConnectionState?
}
