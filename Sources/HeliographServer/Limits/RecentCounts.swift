/// Counts recent actions by name: of an address, or a workspace.
struct RecentCounts {
    /// Wrong codes of an address. Limited so that they do not fill the log and guessing is pointless; enough for a person who taps
    /// an old notification several times.
    static var wrongCodes: RecentCounts { RecentCounts(max: 20, within: .seconds(60)) }
    /// Renamed tokens of a workspace. Limited as each name stays in the audit log for ever; enough for a person who tidies up a
    /// long list.
    static var renamings: RecentCounts { RecentCounts(max: 100, within: .seconds(3_600)) }
    static func registrations(perHour max: Int) -> RecentCounts { RecentCounts(max: max, within: .seconds(3_600)) }

    /// Limit of names; further ones are counted together.
    static let namesMax = 1_000

    let max: Int
    let window: Duration

    private struct Count {
        var since: ContinuousClock.Instant
        var count = 0
    }

    private var counts: [String: Count] = [:]

    private init(max: Int, within window: Duration) {
        self.max = max
        self.window = window
    }

    /// Time that this name has to wait before its next action; nil if it is within the limit.
    func wait(of name: String, at now: ContinuousClock.Instant) -> Duration? {
        let count = counts[name] ?? (counts.count < Self.namesMax ? nil : counts[""])
        guard let count, count.count >= max, now - count.since < window else { return nil }
        return window - (now - count.since)
    }

    /// Counts an action; returns the time that this name has to wait if it is over the limit.
    mutating func note(_ name: String, at now: ContinuousClock.Instant) -> Duration? {
        if counts[name] == nil, counts.count >= Self.namesMax { counts = counts.filter { now - $0.value.since < window } }
        let name = counts[name] != nil || counts.count < Self.namesMax ? name : ""
        var count = counts[name] ?? Count(since: now)
        if now - count.since >= window { count = Count(since: now) }
        count.count += 1
        counts[name] = count
        return count.count > max ? window - (now - count.since) : nil
    }
}
