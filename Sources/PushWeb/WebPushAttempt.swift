internal import HeliographHTTP2

/// A request in an `OriginMachine`, with its attempts so far.
struct WebPushAttempt: Equatable, Sendable {
    /// Number by which the machine and its caller name it.
    let number: Int
    let request: WebPushRequest
    let submittedAt: MonotonicTime
    /// Time after which the push is not worth sending.
    let until: MonotonicTime
    /// Number of times that the request was sent.
    var attempts = 0
    /// True once the request has been sent again with a new token.
    var isTokenRenewed = false
    /// Set once the outcome of an attempt is unknown.
    var uncertainty: WebPushUncertainty?
    /// True once the caller has withdrawn the push.
    var isWithdrawn = false
    /// The last refusal that may be temporary.
    var refusal: WebPushRefusal?

    init(number: Int, _ request: WebPushRequest, at now: MonotonicTime) {
        self.number = number
        self.request = request
        submittedAt = now
        until = now + min(request.patience, .seconds(request.message.secondsToLive))
    }

    var endpoint: WebPushEndpoint { request.endpoint }
    var topic: WebPushTopic? { request.message.topic }
    var isUrgent: Bool { request.message.urgency == .high }

    /// Remaining seconds to live, at least 1: Microsoft refuses 0.
    func secondsToLive(at now: MonotonicTime) -> Int {
        max(1, request.message.secondsToLive - Int(submittedAt.duration(to: now).components.seconds))
    }

    /// Result of the request if it is given up because of `obstacle`.
    func givenUp(_ obstacle: WebPushObstacle) -> WebPushOutcome.Result {
        if let uncertainty { return .unknown(uncertainty) }
        return refusal.map { .refused($0, .sendLater) } ?? .notSent(obstacle)
    }
}
