internal import HeliographHTTP2

/// One push to one browser.
package struct WebPushRequest: Equatable, Sendable {
    package var subscription: WebPushSubscription
    package var message: WebPushMessage
    /// Identifies the push to the caller, for withdrawal; the service does not see it.
    package var id = ""
    /// After that it is not worth sending any more, however often it was tried; `secondsToLive` ends it as well.
    package var patience: Duration = .seconds(60)

    package init(to subscription: WebPushSubscription, _ message: WebPushMessage) {
        self.subscription = subscription
        self.message = message
    }

    /// The request as HTTP. `secondsToLive` is what is left of them; `body` is sealed.
    func message(token: String, publicKey: String, secondsToLive: Int, body: [UInt8]) -> HTTP2Message {
        let endpoint = subscription.endpoint
        var headers = [
            HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "https"),
            HTTP2Header(":authority", endpoint.origin.authority),
            HTTP2Header(":path", endpoint.path, isVolatile: true),
            HTTP2Header("authorization", "vapid t=\(token), k=\(publicKey)"),
            HTTP2Header("ttl", String(secondsToLive), isVolatile: true), HTTP2Header("urgency", message.urgency.rawValue),
            HTTP2Header("content-encoding", "aes128gcm"), HTTP2Header("content-type", "application/octet-stream"),
            HTTP2Header("content-length", String(body.count)),
        ]
        if let topic = message.topic { headers.append(HTTP2Header("topic", topic.text, isVolatile: true)) }
        return HTTP2Message(headers: headers, body: body)
    }
}
