internal import HeliographHTTP2

/// One push to one browser, or one message to a server or webhook that shows it to people.
package struct WebPushRequest: Equatable, Sendable {
    package enum Destination: Equatable, Sendable {
        /// Encrypted to the browser, and signed with our key.
        case browser(WebPushSubscription)
        /// Plain JSON, with this value for `Authorization`, if any.
        case server(WebPushEndpoint, authorization: String?)
        /// Plain JSON, signed with this secret after Standard Webhooks.
        case webhook(WebPushEndpoint, WebhookSecret)
    }

    package var destination: Destination
    package var message: WebPushMessage
    /// Identifies the push to the caller, for withdrawal; of the services, only webhooks see it.
    package var id = ""
    /// Time after which it is not worth sending, however often it was attempted; `secondsToLive` also limits it.
    package var patience: Duration = .seconds(60)

    package init(to subscription: WebPushSubscription, _ message: WebPushMessage) {
        destination = .browser(subscription)
        self.message = message
    }

    /// `message` is JSON.
    package init(to server: WebPushEndpoint, authorization: String?, _ message: WebPushMessage) {
        destination = .server(server, authorization: authorization)
        self.message = message
    }

    /// `message` is JSON. Its `id` is the webhook's `webhook-id`.
    package init(to webhook: WebPushEndpoint, signedWith secret: WebhookSecret, _ message: WebPushMessage) {
        destination = .webhook(webhook, secret)
        self.message = message
    }

    package var endpoint: WebPushEndpoint {
        switch destination {
        case .browser(let subscription): subscription.endpoint
        case .server(let endpoint, _), .webhook(let endpoint, _): endpoint
        }
    }

    /// The request to a browser's push service as HTTP. `secondsToLive` is the remaining time; `body` is sealed.
    func message(token: String, publicKey: String, secondsToLive: Int, body: [UInt8]) -> HTTP2Message {
        var headers =
            start + [
                HTTP2Header("authorization", "vapid t=\(token), k=\(publicKey)"),
                HTTP2Header("ttl", String(secondsToLive), isVolatile: true), HTTP2Header("urgency", message.urgency.rawValue),
                HTTP2Header("content-encoding", "aes128gcm"), HTTP2Header("content-type", "application/octet-stream"),
                HTTP2Header("content-length", String(body.count)),
            ]
        if let topic = message.topic { headers.append(HTTP2Header("topic", topic.text, isVolatile: true)) }
        return HTTP2Message(headers: headers, body: body)
    }

    /// The request to a server as HTTP.
    func message(authorization: String?) -> HTTP2Message {
        var headers =
            start + [
                HTTP2Header("content-type", "application/json"), HTTP2Header("content-length", String(message.text.count)),
            ]
        if let authorization { headers.append(HTTP2Header("authorization", authorization, isVolatile: true)) }
        return HTTP2Message(headers: headers, body: message.text)
    }

    /// The request to a webhook as HTTP, sent at `seconds` since 1970. Each attempt is signed anew, with the same id.
    func message(signedWith secret: WebhookSecret, at seconds: Int64) -> HTTP2Message {
        let headers =
            start + [
                HTTP2Header("content-type", "application/json"), HTTP2Header("content-length", String(message.text.count)),
                HTTP2Header("webhook-id", id, isVolatile: true),
                HTTP2Header("webhook-timestamp", String(seconds), isVolatile: true),
                HTTP2Header(
                    "webhook-signature", secret.signature(id: id, seconds: seconds, message.text), isVolatile: true),
            ]
        return HTTP2Message(headers: headers, body: message.text)
    }

    private var start: [HTTP2Header] {
        [
            HTTP2Header(":method", "POST"), HTTP2Header(":scheme", endpoint.origin.scheme),
            HTTP2Header(":authority", endpoint.origin.authority), HTTP2Header(":path", endpoint.path, isVolatile: true),
        ]
    }
}
