internal import Foundation
internal import HeliographHTTP2

/// A push service's response, as far as it matters here.
struct WebPushAnswer: Equatable, Sendable {
    /// The reaction to a response. The client does what it can itself; the rest is a `WebPushAdvice` for its caller.
    enum Remedy: Equatable, Sendable {
        case none
        /// We built it wrong; the same bytes would be refused again.
        case fixRequest
        /// Key, contact or clock is wrong, or a token too old: otherwise nothing is accepted until a person corrects it.
        case fixCredentials
        /// The person's own token for that server is refused; other people's are not affected.
        case fixToken
        /// The subscription was made with another key.
        case subscribeAnew
        /// The subscription is unknown, perhaps for a while only.
        case watch
        case drop
        case slowDown
        case retryLater
    }

    var status: Int
    /// The reason, one short line.
    var text: String
    var retryAfter: Duration?
    /// True for a server that took plain JSON: it has no subscriptions, and a token that it refuses is one person's, not ours.
    var isOfServer = false
    /// True for a webhook, which answers 410 when it is gone.
    var isOfWebhook = false

    /// Longest reason that is passed on, in characters.
    private static let textCountMax = 200

    init(status: Int, text: String = "", retryAfter: Duration? = nil) {
        (self.status, self.text, self.retryAfter) = (status, text, retryAfter)
    }

    /// `unixSeconds` is the current time: a date in `Retry-After` is turned into a wait from then on. `endpoint` is secret and is
    /// removed from the text for the operator.
    init(_ message: HTTP2Message, to endpoint: WebPushEndpoint, at unixSeconds: Int64) {
        status = message.status ?? 0
        (isOfServer, isOfWebhook) = (!endpoint.queue.isEmpty, endpoint.isWebhook)
        retryAfter = message["retry-after"].flatMap { RetryAfter.duration($0, at: unixSeconds) }
        text = ""
        guard remedy != .none else { return }
        if (300..<400).contains(status) {
            text = "a redirect, which is not followed"
        } else {
            let text =
                Self.reason(in: message.body) ?? message["x-wns-error-description"]
                ?? String(decoding: message.body, as: UTF8.self)
            self.text = Self.line(text, without: endpoint)
        }
    }

    var remedy: Remedy {
        switch status {
        case 200..<300: .none
        case 410 where isOfWebhook: .drop
        case 400..<500 where isOfServer && ![408, 429].contains(status): [401, 403].contains(status) ? .fixToken : .fixRequest
        case 401, 403: isOtherKey ? .subscribeAnew : .fixCredentials
        case 404: .watch
        case 410: .drop
        // Microsoft answers 406 where others answer 429.
        case 406, 429: .slowDown
        // ntfy answers this for a UnifiedPush topic without a reader, which must not count as an error of the server.
        case 507 where isOfServer: .slowDown
        case 408, 500...: .retryLater
        default: .fixRequest
        }
    }

    var refusal: WebPushRefusal { WebPushRefusal(status: status, text: text, retryAfter: retryAfter) }

    /// True for Apple's `VapidPkHashMismatch`, Mozilla's "mismatch", and Google's "do not correspond".
    private var isOtherKey: Bool { ["mismatch", "not correspond"].contains { text.lowercased().contains($0) } }

    /// The field is `reason` at Apple, `message` at Mozilla, `error` at ntfy.
    private struct Reason: Decodable {
        var reason: String?
        var error: String?
        var message: String?
        var errno: Int?
    }

    /// Nil if it is not JSON.
    private static func reason(in body: [UInt8]) -> String? {
        guard let found = try? JSONDecoder().decode(Reason.self, from: Data(body)) else { return nil }
        let number = found.errno.map { "errno \($0)" }
        return [found.reason ?? found.message ?? found.error, number].compactMap(\.self).joined(separator: ", ")
    }

    /// One printable line without the endpoint's secrets: services write any text, and some repeat the request.
    private static func line(_ text: String, without endpoint: WebPushEndpoint) -> String {
        let shown = endpoint.secrets.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
        let line = shown.unicodeScalars.prefix(textCountMax).map {
            $0.properties.generalCategory == .control ? " " : Character($0)
        }
        return String(line).trimmingCharacters(in: .whitespaces)
    }
}
