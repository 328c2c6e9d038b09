/// Outcome of a request. Every request that was submitted gets exactly one.
package struct WebPushOutcome: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// The push service took it. That says nothing about the phone: Apple also takes those for subscriptions that are dead.
        case accepted(status: Int)
        /// The push service refused it, and it is not sent again.
        case refused(WebPushRefusal, WebPushAdvice)
        /// The push service may have accepted it: no answer came, and a repeat would show it twice or did not help.
        case unknown(WebPushUncertainty)
        /// The push service has not got it.
        case notSent(WebPushObstacle)
    }

    package var result: Result
    /// Number of times that the request was sent.
    package var attempts: Int

    init(_ result: Result, attempts: Int) {
        self.result = result
        self.attempts = attempts
    }
}

package struct WebPushRefusal: Equatable, Sendable {
    package var status: Int
    /// The service's reason, for the operator; empty if it gave none.
    package var text: String
    /// The wait that the service asked for.
    package var retryAfter: Duration?
}

/// Remedy that is left to the caller after a refusal.
package enum WebPushAdvice: Equatable, Sendable {
    /// The subscription is gone: forget it.
    case dropSubscription
    /// The service does not know the subscription, which it has said for the first time today; Google has been wrong about that.
    case keepSubscription
    /// The subscription was made with another key than ours: forget it, and let the page subscribe again.
    case subscribeAnew
    case fixRequest
    /// Our token is refused: the contact, the key, or the clock of this machine.
    case fixCredentials
    /// Nothing is wrong with it: the service is in trouble, or has had too much.
    case sendLater
}

package enum WebPushUncertainty: Equatable, Sendable {
    /// No answer in time.
    case timedOut
    /// The connection ended before the answer.
    case connectionLost
    /// The stream was reset; the sentence names the code.
    case reset(String)
}

package enum WebPushObstacle: Equatable, Sendable {
    /// There was no way to send it in the time it was worth sending; the sentence says what stood in the way, if anything did.
    case patienceOver(String?)
    /// The service refuses our token, with this text; nothing is sent for a while.
    case breakerOpen(String)
    /// The queue has as many requests as are allowed.
    case queueFull
    /// A later one with the same topic has taken its place while it waited.
    case superseded
    /// The caller withdrew the push before it was sent.
    case withdrawn
    /// The request cannot be encrypted, or one of its headers cannot be sent.
    case invalidRequest
    /// The client ends.
    case stopped
}
