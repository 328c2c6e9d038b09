internal import HeliographHTTP2
internal import HeliographPlatform

/// Blocks a lane for a while, longer each time, if Apple refuses our credentials or says that the team sends too much.
struct Breaker {
    private(set) var barredUntil: MonotonicTime?
    private(set) var reason: APNsReason?
    private var barredCount = 0
    /// Consecutive refusals of our credentials.
    private var refusals = 0

    /// Blocks the lane until this time.
    mutating func bar(_ reason: APNsReason?, until: MonotonicTime) {
        self.reason = reason
        barredUntil = until
    }

    /// Blocks the lane for the next step. Returns the time until which it does.
    mutating func bar(_ reason: APNsReason?, _ limits: APNsLimits, _ dice: inout Dice, at now: MonotonicTime) -> MonotonicTime {
        barredCount += 1
        // The wait is at least the whole step: Apple counts, too.
        let step = min(limits.breakerBase * (1 << min(barredCount - 1, 20)), limits.breakerMax)
        let until = now + step + step / 4 * dice.next()
        bar(reason, until: until)
        return until
    }

    /// Counts a refusal.
    /// - Returns: true if the lane has to be blocked.
    mutating func credentialsRefused(max: Int) -> Bool {
        refusals += 1
        return refusals >= max && barredUntil == nil
    }

    mutating func credentialsTaken() { (refusals, barredCount) = (0, 0) }

    /// Refusals of the old key no longer matter.
    mutating func keyChanged() { self = Breaker() }

    mutating func timePassed(_ now: MonotonicTime) {
        if let barredUntil, barredUntil <= now { self.barredUntil = nil }
    }
}
