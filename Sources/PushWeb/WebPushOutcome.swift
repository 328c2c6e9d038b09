/// What became of a request. Every request that was submitted gets exactly one.
package struct WebPushOutcome: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// The push service took it. That says nothing about the phone: Apple also takes those for subscriptions that are dead.
        case accepted(status: Int)
        /// It said no, for the last time.
        case refused(WebPushRefusal, WebPushAdvice)
        /// It may or may not have been taken: no answer came, and to repeat it would show it twice or did not help.
        case unknown(WebPushUncertainty)
        /// The push service has not got it.
        case notSent(WebPushObstacle)
    }

    package var result: Result
    /// How often it was sent.
    package var attempts: Int

    init(_ result: Result, attempts: Int) {
        self.result = result
        self.attempts = attempts
    }
}

package struct WebPushRefusal: Equatable, Sendable {
    package var status: Int
    /// What the service gave as its reason, for the operator; empty where it gave none.
    package var text: String
    /// How long it asked us to wait.
    package var retryAfter: Duration?
}

/// What is left for the caller to do after a refusal.
package enum WebPushAdvice: Equatable, Sendable {
    /// The subscription is gone: forget it.
    case dropSubscription
    /// The service does not know the subscription, which it has said for the first time today; Google has been wrong about that.
    case keepSubscription
    /// It was made with another key than ours: forget it, and let the page subscribe again.
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
    /// As many requests wait as are allowed.
    case queueFull
    /// A later one with the same topic has taken its place while it waited.
    case superseded
    /// Its caller withdrew it before it was sent.
    case withdrawn
    /// It cannot be sealed, or a header of it cannot be sent.
    case invalidRequest
    /// The client ends.
    case stopped
}
