internal import HeliographHTTP2

/// A request on its way through an `OriginMachine`.
struct WebPushAttempt: Equatable, Sendable {
    /// Names it between the machine and its caller.
    let number: Int
    let request: WebPushRequest
    let submittedAt: MonotonicTime
    /// After that it is not worth sending.
    let until: MonotonicTime
    /// Number of times that the request was sent.
    var attempts = 0
    /// True once the request has been sent again with a new token.
    var isTokenRenewed = false
    /// Set once nobody knows what became of an attempt.
    var uncertainty: WebPushUncertainty?
    /// True once the caller has withdrawn the push.
    var isWithdrawn = false
    /// The last refusal that may pass.
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
