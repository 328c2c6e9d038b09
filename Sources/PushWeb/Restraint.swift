internal import HeliographHTTP2

/// Answers of a push service that affect later requests: it refuses our token, has errors, limits our rate, or does not know an endpoint.
struct Restraint {
    /// Reason for which nothing is sent for a while; nil if sending is allowed.
    private(set) var barredReason: String?
    private(set) var barredUntil: MonotonicTime?
    private var barredCount = 0
    /// Consecutive refusals, of each kind.
    private var credentialRefusals = 0
    private var serverErrors = 0
    private var slowedEndpoints: Set<WebPushEndpoint> = []
    /// First time at which each endpoint was unknown to the service.
    private var missedAt: [WebPushEndpoint: MonotonicTime] = [:]

    private static let missingMemory: Duration = .seconds(24 * 60 * 60)
    /// Google has denied good endpoints for a while, so that a repeated denial within this time counts as the same.
    private static let missingPatience: Duration = .seconds(60 * 60)

    mutating func accepted(_ endpoint: WebPushEndpoint) {
        knownToServer()
        slowedEndpoints = []
        missedAt[endpoint] = nil
        barredCount = 0
    }

    /// A response that refuses neither our token nor the server's service.
    mutating func knownToServer() { (credentialRefusals, serverErrors) = (0, 0) }

    mutating func timePassed(_ now: MonotonicTime) {
        if let barredUntil, barredUntil <= now { (self.barredUntil, barredReason) = (nil, nil) }
    }

    /// Number of times within a day that the endpoint was unknown; further ones within an hour of the first do not count.
    mutating func missed(_ endpoint: WebPushEndpoint, _ limits: WebPushLimits, _ now: MonotonicTime) -> Int {
        if let first = missedAt[endpoint], first + Self.missingMemory > now {
            return first + Self.missingPatience > now ? 1 : 2
        }
        if missedAt.count >= limits.endpointsMax, let oldest = missedAt.min(by: { $0.value < $1.value }) {
            missedAt[oldest.key] = nil
        }
        missedAt[endpoint] = now
        return 1
    }

    /// `dice` in 0..<1 spreads the ends of pauses. Returns true if this refusal begins a pause.
    mutating func credentialsRefused(_ reason: String, _ limits: WebPushLimits, _ now: MonotonicTime, dice: Double) -> Bool {
        credentialRefusals += 1
        guard credentialRefusals >= limits.credentialRefusalsMax, barredUntil == nil else { return false }
        barredCount += 1
        let step = min(limits.breakerBase * (1 << min(barredCount - 1, 20)), limits.breakerMax)
        (barredReason, barredUntil) = (reason, now + step + step / 4 * dice)
        return true
    }

    /// Number of consecutive errors above the limit, from 1; 0 if there are not too many.
    mutating func serverFailed(_ limits: WebPushLimits) -> Int {
        serverErrors += 1
        return max(0, serverErrors - limits.serverErrorsMax + 1)
    }

    /// True if the rate limit concerns us as a whole, because enough different endpoints have met it.
    mutating func slowedDown(_ endpoint: WebPushEndpoint, _ limits: WebPushLimits) -> Bool {
        if slowedEndpoints.count < limits.slowDownsMax { slowedEndpoints.insert(endpoint) }
        return slowedEndpoints.count >= limits.slowDownsMax
    }
}
