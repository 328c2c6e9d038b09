/// Counts recent actions by name: of an address, or a workspace.
struct RecentCounts {
    /// Wrong codes of an address. Limited so that they do not fill the log and guessing is pointless; enough for a person who taps
    /// an old notification several times.
    static var wrongCodes: RecentCounts { RecentCounts(max: 20, within: .seconds(60)) }
    /// Renamed tokens of a workspace. Limited as each name stays in the audit log for ever; enough for a person who tidies up a
    /// long list.
    static var renamings: RecentCounts { RecentCounts(max: 100, within: .seconds(3_600)) }
    static func registrations(perHour max: Int) -> RecentCounts { RecentCounts(max: max, within: .seconds(3_600)) }

    /// Limit of names; further ones are counted by their networks. Also the limit of networks; further ones are counted together.
    static let namesMax = 1_000

    struct Name {
        let own: String
        /// Network of the address. A flood from one network thus delays no other.
        var network = ""
    }

    struct Excess: Equatable {
        let wait: Duration
        /// Name that was counted: the own one, that of the network, or an empty one.
        let name: String
    }

    private struct Count {
        var since: ContinuousClock.Instant
        var count = 0
    }

    let max: Int
    let window: Duration

    private var own: [String: Count] = [:]
    private var ofNetworks: [String: Count] = [:]

    private init(max: Int, within window: Duration) {
        self.max = max
        self.window = window
    }

    /// Time that this name has to wait before its next action; nil if it is within the limit.
    func excess(of name: Name, at now: ContinuousClock.Instant) -> Excess? {
        let (counts, counted) = Self.hasRoom(own, for: name.own) ? (own, name.own) : (ofNetworks, nameInNetworks(name))
        guard let count = counts[counted], count.count >= max, now - count.since < window else { return nil }
        return Excess(wait: window - (now - count.since), name: counted)
    }

    /// Counts an action; returns the time that this name has to wait if it is over the limit.
    mutating func note(_ name: Name, at now: ContinuousClock.Instant) -> Excess? {
        if !Self.hasRoom(own, for: name.own) { forgetOld(\.own, at: now) }
        if Self.hasRoom(own, for: name.own) { return note(name.own, in: \.own, at: now) }
        if !Self.hasRoom(ofNetworks, for: name.network) { forgetOld(\.ofNetworks, at: now) }
        return note(nameInNetworks(name), in: \.ofNetworks, at: now)
    }

    private static func hasRoom(_ counts: [String: Count], for name: String) -> Bool {
        counts[name] != nil || counts.count < namesMax
    }

    private func nameInNetworks(_ name: Name) -> String { Self.hasRoom(ofNetworks, for: name.network) ? name.network : "" }

    private mutating func forgetOld(_ counts: WritableKeyPath<Self, [String: Count]>, at now: ContinuousClock.Instant) {
        self[keyPath: counts] = self[keyPath: counts].filter { now - $0.value.since < window }
    }

    private mutating func note(
        _ name: String, in counts: WritableKeyPath<Self, [String: Count]>, at now: ContinuousClock.Instant
    ) -> Excess? {
        var count = self[keyPath: counts][name] ?? Count(since: now)
        if now - count.since >= window { count = Count(since: now) }
        count.count += 1
        self[keyPath: counts][name] = count
        return count.count > max ? Excess(wait: window - (now - count.since), name: name) : nil
    }
}
