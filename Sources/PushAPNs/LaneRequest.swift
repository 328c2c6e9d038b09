/// A request on its way through a lane.
struct LaneRequest: Equatable, Sendable {
    /// Names it between the machine and its caller.
    var number: Int
    var request: APNsRequest
    /// After that it is not worth sending.
    var until: ContinuousClock.Instant
    /// How often it was sent.
    var attempts = 0
    /// It has been sent again with a new provider token.
    var isTokenRenewed = false
    /// Set once nobody knows what became of an attempt.
    var uncertainty: APNsUncertainty?
    /// The last refusal that may pass.
    var refusal: APNsOutcome.Result?

    /// Approvals go before the rest.
    var isUrgent: Bool { (request.priority ?? 10) >= 10 }

    /// What to say when it is given up.
    func givenUp(_ obstacle: APNsObstacle) -> APNsOutcome.Result {
        if let uncertainty { return .unknown(uncertainty) }
        return refusal ?? .notSent(obstacle)
    }
}
