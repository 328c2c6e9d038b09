import PushPlanner
import RelayProtocol

/// Checks that the last pushes of priority 10 are reserved for cards that wait for a person. A separate token bucket, by the
/// documented policy (a burst of 6, one more after each 3 minutes, both times three with frequent pushes; 3 of them reserved, and 1
/// of these for a card that reports the end of the wait).
struct ReserveChecker {
    private struct Bucket {
        /// Level in fractions of `one`: whole numbers for either rate, so that nothing is rounded.
        var level: Int64
        var at: Int64
        /// Time of the level by the monotonic clock.
        var steady: Int64
        var wasFrequent: Bool
        /// Additional refill that the planner would have if it did not read its bucket in between, and the device has frequent
        /// pushes when it does.
        var unasked: Int64 = 0
        /// Pushes that may not be on disk, each with its cost: itself, and any level above the burst of a device that no longer has
        /// frequent pushes. If they are lost, the planner has both again.
        var taken: [(push: PushIntent, cost: Int64)] = []

        mutating func takes(_ push: PushIntent, _ cost: Int64) {
            if cost > 0 { taken.append((push, cost)) }
            if taken.count > 100 { taken.removeFirst(50) }
        }
    }

    /// Cost of one push: the milliseconds in which the slower rate refills it.
    private static let one: Int64 = 180_000
    private var buckets: [DeviceID: Bucket] = [:]
    /// Milliseconds that the wall clock has been set forward since the relay's last start.
    private var jumped: Int64 = 0
    /// True if the last push to a device's card asked for a person; by the card's session.
    private var onTop: [DeviceID: [SessionID?: Bool]] = [:]

    mutating func forgot(_ device: DeviceID) { (buckets[device], onTop[device]) = (nil, nil) }

    mutating func clockWasSetForward(by milliseconds: Int64) { jumped += min(milliseconds, 86_400_000) }

    /// A jump while the relay was down, or one that it followed without a commit, counts as elapsed time for it.
    mutating func relayStarts() {
        for device in buckets.keys { buckets[device]?.level += jumped * 3 }
        jumped = 0
    }

    /// Planned pushes that are not on disk do not count.
    mutating func relayEnded(isKept: (PushIntent) -> Bool) {
        onTop = [:]
        for device in buckets.keys {
            let lost = buckets[device]?.taken.filter { !isKept($0.push) } ?? []
            buckets[device]?.level += lost.reduce(0) { $0 + $1.cost }
            buckets[device]?.taken = []
        }
    }

    mutating func planned(_ order: PushIntent, isWaitedFor: Bool, isFrequent: Bool, at now: Int64) -> String? {
        guard order.purpose != .alert, order.purpose != .channel else { return nil }
        let isOver = !order.isOnTop && onTop[order.device]?[order.session] != false
        onTop[order.device, default: [:]][order.session] = order.isOnTop
        guard order.purpose != .start else { return nil }
        let burst: Int64 = (isFrequent ? 18 : 6) * Self.one
        var bucket = buckets[order.device] ?? Bucket(level: burst, at: order.plannedAt, steady: now, wasFrequent: isFrequent)
        // Uses the faster rate if either applied: the actual refill was not more.
        let rate: Int64 = isFrequent || bucket.wasFrequent ? 3 : 1
        let elapsed = max(now - bucket.steady, order.plannedAt - bucket.at)
        let refilled = bucket.level + min(elapsed, 86_400_000) * rate
        bucket.level = min(burst, refilled)
        bucket.unasked += min(elapsed, 86_400_000) * (3 - rate)
        bucket.at = order.plannedAt
        bucket.steady = now
        // A push of priority 5 may have asked for 10 in vain, which updates the planner's bucket by the clock and the rate of that
        // moment; if the clock had gone back, the bucket gains the same amount again when it goes forward.
        guard order.urgency == .atOnce else {
            bucket.wasFrequent = bucket.wasFrequent || isFrequent
            bucket.takes(order, refilled - bucket.level)
            if buckets[order.device] != nil { buckets[order.device] = bucket }
            return nil
        }
        if isFrequent { bucket.level = min(burst, bucket.level + bucket.unasked) }
        (bucket.wasFrequent, bucket.unasked) = (isFrequent, 0)
        defer { buckets[order.device] = bucket }
        if !isWaitedFor, bucket.level < (isOver ? 2 : 4) * Self.one {
            return "push \(order.id.rawValue) to \(order.device) goes at 10 for nobody, and \(bucket.level / Self.one) are left"
        }
        bucket.level = max(0, bucket.level - Self.one)
        bucket.takes(order, max(refilled - bucket.level, Self.one))
        return nil
    }
}
