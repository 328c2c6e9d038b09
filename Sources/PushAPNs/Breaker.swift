internal import HeliographHTTP2
internal import HeliographPlatform

/// Nothing is sent for a while, longer each time, where Apple refuses our credentials or says that the team sends too much.
struct Breaker {
    private(set) var barredUntil: MonotonicTime?
    private(set) var reason: APNsReason?
    private var barredCount = 0
    /// Consecutive refusals of our credentials.
    private var refusals = 0

    /// Or until then, whatever came before.
    mutating func bar(_ reason: APNsReason?, until: MonotonicTime) {
        self.reason = reason
        barredUntil = until
    }

    /// Until when.
    mutating func bar(_ reason: APNsReason?, _ limits: APNsLimits, _ dice: inout Dice, at now: MonotonicTime) -> MonotonicTime {
        barredCount += 1
        // At least the whole step: Apple counts, too.
        let step = min(limits.breakerBase * (1 << min(barredCount - 1, 20)), limits.breakerMax)
        let until = now + step + step / 4 * dice.next()
        bar(reason, until: until)
        return until
    }

    /// - Returns: true if these were so many that the lane is to be barred.
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
