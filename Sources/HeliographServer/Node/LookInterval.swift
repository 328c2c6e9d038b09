import RelayCluster

/// Interval between a node's looks at the database: short while something changes, longer after a while without changes.
struct LookInterval {
    /// A killed owner's row is free after 13 ms, so the next owner is delayed by little more than its load.
    static let interval = Duration.milliseconds(250)
    /// Half of the time in which a revocation takes effect everywhere. The end of a link causes a look at once.
    static let restInterval = Duration.seconds(1)
    /// Time without changes until the interval becomes longer: by then a killed node, and what it owned, is settled.
    static let restAfter = Duration.seconds(15)

    private var lastView: PlacementView?
    private var changedAt: ContinuousClock.Instant?

    mutating func saw(_ view: PlacementView, at now: ContinuousClock.Instant) {
        if view != lastView { changed(at: now) }
        lastView = view
    }

    /// Something has happened that the next looks will show.
    mutating func changed(at now: ContinuousClock.Instant) { changedAt = now }

    func isAtRest(at now: ContinuousClock.Instant) -> Bool { changedAt.map { now - $0 >= Self.restAfter } ?? false }

    func wait(at now: ContinuousClock.Instant) -> Duration { isAtRest(at: now) ? Self.restInterval : Self.interval }
}
