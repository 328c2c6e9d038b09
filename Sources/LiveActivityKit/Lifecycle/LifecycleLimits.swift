/// Limits of times and counts, each with its reason.
public struct LifecycleLimits: Sendable {
    /// Reports that wait for the relay: a handful of cards at once, and those that ended while the relay was away.
    public var reportsMax = 32
    /// The first wait after a failure; it doubles.
    public var retryFirst = Duration.seconds(1)
    /// An app lives for seconds in the background: waiting longer means waiting for the next time it runs.
    public var retryMost = Duration.seconds(300)
    /// The system ends a card after 8 h; before that a fresh one takes its place.
    public var renewAfter = Duration.seconds(27_000)
    /// Wait after the system refused to renew.
    public var renewAgainAfter = Duration.seconds(600)
    /// A card without an update for this long shows that it may be wrong.
    public var staleAfter = Duration.seconds(900)

    public init() {}
}
