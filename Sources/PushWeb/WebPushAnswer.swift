internal import Foundation
internal import HeliographHTTP2

/// A push service's response, as far as it matters here.
struct WebPushAnswer: Equatable, Sendable {
    /// The reaction to a response. The client does what it can itself; the rest is a `WebPushAdvice` for its caller.
    enum Remedy: Equatable, Sendable {
        case none
        /// We built it wrong; the same bytes will be refused again.
        case fixRequest
        /// Nothing will pass until a person looks at key, contact or clock, but for a token that got too old.
        case fixCredentials
        /// The person's own token is refused: nothing that others send there is.
        case fixToken
        /// This one subscription was made with another key.
        case subscribeAnew
        /// The subscription is not known, which may pass.
        case watch
        case drop
        case slowDown
        case retryLater
    }

    var status: Int
    /// One short line.
    var text: String
    var retryAfter: Duration?
    /// A server's that took JSON as it is: it knows nothing of subscriptions, and a token that it refuses is one person's, not ours.
    var isOfServer = false
    /// A webhook's, which says by 410 that it is gone.
    var isOfWebhook = false

    /// The longest reason that is handed on.
    private static let textCountMax = 200

    init(status: Int, text: String = "", retryAfter: Duration? = nil) {
        (self.status, self.text, self.retryAfter) = (status, text, retryAfter)
    }

    /// `unixSeconds` is now: a date in `Retry-After` is a wait from then on. `endpoint` must not be in what the operator sees.
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
        // Microsoft says 406 where others say 429.
        case 406, 429: .slowDown
        // By ntfy for a UnifiedPush topic without a reader: the topic's fault, which must not count as the server's.
        case 507 where isOfServer: .slowDown
        case 408, 500...: .retryLater
        default: .fixRequest
        }
    }

    var refusal: WebPushRefusal { WebPushRefusal(status: status, text: text, retryAfter: retryAfter) }

    /// Apple's `VapidPkHashMismatch`, Mozilla's "mismatch", and Google's "do not correspond".
    private var isOtherKey: Bool { ["mismatch", "not correspond"].contains { text.lowercased().contains($0) } }

    /// Apple calls it `reason`, Mozilla `message`, ntfy `error`.
    private struct Reason: Decodable {
        var reason: String?
        var error: String?
        var message: String?
        var errno: Int?
    }

    /// Nil if it is no JSON.
    private static func reason(in body: [UInt8]) -> String? {
        guard let found = try? JSONDecoder().decode(Reason.self, from: Data(body)) else { return nil }
        let number = found.errno.map { "errno \($0)" }
        return [found.reason ?? found.message ?? found.error, number].compactMap(\.self).joined(separator: ", ")
    }

    /// Services write what they like, and some repeat what was asked for.
    private static func line(_ text: String, without endpoint: WebPushEndpoint) -> String {
        let shown = endpoint.secrets.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
        let line = shown.unicodeScalars.prefix(textCountMax).map {
            $0.properties.generalCategory == .control ? " " : Character($0)
        }
        return String(line).trimmingCharacters(in: .whitespaces)
    }
}
