internal import ChannelAPNs
internal import HeliographHTTP2

/// A request on its way through a lane.
struct LaneRequest: Equatable, Sendable {
    /// Names it between the machine and its caller.
    let number: Int
    /// A request has many parts, and this is handed on many times: what never changes travels as one reference.
    private let box: Box
    /// After that it is not worth sending.
    var until: MonotonicTime
    /// How often it was sent.
    var attempts = 0
    /// It has been sent again with a new provider token.
    var isTokenRenewed = false
    /// Set once nobody knows what became of an attempt.
    var uncertainty: APNsUncertainty?
    /// The last refusal that may pass.
    var refusal: APNsOutcome.Result?

    private final class Box: Sendable {
        let request: APNsRequest
        init(_ request: APNsRequest) { self.request = request }
    }

    init(number: Int, request: APNsRequest, until: MonotonicTime) {
        self.number = number
        self.until = until
        box = Box(request)
    }

    var request: APNsRequest { box.request }

    /// The number names it; what it asks for never changes.
    static func == (one: LaneRequest, other: LaneRequest) -> Bool {
        one.number == other.number && one.attempts == other.attempts && one.uncertainty == other.uncertainty
            && one.refusal == other.refusal
    }

    /// Approvals go before the rest.
    var isUrgent: Bool { (request.priority ?? 10) >= 10 }

    /// What to say when it is given up.
    func givenUp(_ obstacle: APNsObstacle) -> APNsOutcome.Result {
        if let uncertainty { return .unknown(uncertainty) }
        return refusal ?? .notSent(obstacle)
    }
}
