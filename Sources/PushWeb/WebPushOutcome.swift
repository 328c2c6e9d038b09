/// Outcome of a request. Every request that was submitted gets exactly one.
package struct WebPushOutcome: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// The push service accepted it. That proves nothing about delivery: Apple also accepts pushes to dead subscriptions.
        case accepted(status: Int)
        /// The push service refused it, and it is not sent again.
        case refused(WebPushRefusal, WebPushAdvice)
        /// The push service may have accepted it: no response came, and a repeat would show it twice or did not help.
        case unknown(WebPushUncertainty)
        /// The push service did not get it.
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
    /// The service denied the subscription for the first time today; keep it, because Google has been wrong about that.
    case keepSubscription
    /// The subscription was made with another key than ours: forget it, and let the page subscribe again.
    case subscribeAnew
    case fixRequest
    /// Our token is refused: the contact, the key, or the clock of this machine.
    case fixCredentials
    /// The request is valid: the service has errors, or gets too many requests.
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
    /// The request expired before it could be sent; the sentence says what prevented it, if known.
    case patienceOver(String?)
    /// The service refuses our token, with this text; nothing is sent for a while.
    case breakerOpen(String)
    /// The queue has as many requests as are allowed.
    case queueFull
    /// A later request of the same topic replaced it while it waited.
    case superseded
    /// The caller withdrew the push before it was sent.
    case withdrawn
    /// The request cannot be encrypted, or one of its headers cannot be sent.
    case invalidRequest
    /// The client was stopped.
    case stopped
}
