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
    /// Number of times that the request was sent.
    var attempts = 0
    /// True once the request has been sent again with a new provider token.
    var isTokenRenewed = false
    /// Set once nobody knows what became of an attempt.
    var uncertainty: APNsUncertainty?
    /// The last refusal that may pass.
    var refusal: APNsOutcome.Result?
    /// True once the caller has withdrawn the push.
    var isWithdrawn = false

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

    /// The notification that a device shows of it: of two the later holds.
    struct Notification: Hashable {
        let device: String
        let topic: String?
        let collapseID: String
    }

    /// Nil: it replaces nothing.
    var notification: Notification? {
        guard let collapseID = request.collapseID, let device = request.deviceToken else { return nil }
        return Notification(device: device, topic: request.topic, collapseID: collapseID)
    }

    /// Approvals go before the rest.
    var isUrgent: Bool { (request.priority ?? 10) >= 10 }

    /// Result of the request if it is given up because of `obstacle`.
    func givenUp(_ obstacle: APNsObstacle) -> APNsOutcome.Result {
        if let uncertainty { return .unknown(uncertainty) }
        return refusal ?? .notSent(obstacle)
    }
}
