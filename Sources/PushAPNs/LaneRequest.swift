internal import ChannelAPNs
internal import HeliographHTTP2

/// A request on its way through a lane.
struct LaneRequest: Equatable, Sendable {
    /// Number by which the machine and its caller name it.
    let number: Int
    /// A request is large and is passed on many times, so its constant part is one reference.
    private let box: Box
    /// Time after which the request is not worth sending.
    var until: MonotonicTime
    /// Number of times that the request was sent.
    var attempts = 0
    /// True once the request has been sent again with a new provider token.
    var isTokenRenewed = false
    /// Set once the outcome of an attempt is unknown.
    var uncertainty: APNsUncertainty?
    /// The last refusal that may be temporary.
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

    /// Ignores the content, which is constant for a number.
    static func == (one: LaneRequest, other: LaneRequest) -> Bool {
        one.number == other.number && one.attempts == other.attempts && one.uncertainty == other.uncertainty
            && one.refusal == other.refusal
    }

    /// Names the notification that a device shows. A later request for the same one replaces an earlier one.
    struct Notification: Hashable {
        let device: String
        let topic: String?
        let collapseID: String
    }

    /// Nil if it replaces nothing.
    var notification: Notification? {
        guard let collapseID = request.collapseID, let device = request.deviceToken else { return nil }
        return Notification(device: device, topic: request.topic, collapseID: collapseID)
    }

    /// True for high priority, such as approvals: these are sent first.
    var isUrgent: Bool { (request.priority ?? 10) >= 10 }

    /// Result of the request if it is given up because of `obstacle`.
    func givenUp(_ obstacle: APNsObstacle) -> APNsOutcome.Result {
        if let uncertainty { return .unknown(uncertainty) }
        return refusal ?? .notSent(obstacle)
    }
}
