import RelayCluster

/// Time between a node's looks at the database: little while something goes on, more where nothing has changed for a while.
struct LookInterval {
    /// A killed owner has gone after 13 ms: nobody waits longer for the next one than for its load.
    static let interval = Duration.milliseconds(250)
    /// Half of the time in which a revocation takes effect everywhere. A link that ends is a look at once.
    static let restInterval = Duration.seconds(1)
    /// A node that was killed, and what it owned, is settled by then.
    static let restAfter = Duration.seconds(15)

    private var lastView: PlacementView?
    private var changedAt: ContinuousClock.Instant?

    mutating func saw(_ view: PlacementView, at now: ContinuousClock.Instant) {
        if view != lastView { changed(at: now) }
        lastView = view
    }

    /// Something has happened that the next looks will tell of.
    mutating func changed(at now: ContinuousClock.Instant) { changedAt = now }

    func isAtRest(at now: ContinuousClock.Instant) -> Bool { changedAt.map { now - $0 >= Self.restAfter } ?? false }

    func wait(at now: ContinuousClock.Instant) -> Duration { isAtRest(at: now) ? Self.restInterval : Self.interval }
}
