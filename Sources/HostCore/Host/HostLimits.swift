/// The bounds of the host's waiting, each with its reason.
struct HostLimits: Sendable {
    /// Delay from the first new event to sending: hooks get their answers before the wait for the disk, and events that come close
    /// together are sent together.
    var flushAfter = Duration.milliseconds(1)
    /// Delay of a sync while the relay is away. A power cut takes at most this and the time that the disk needs, together less than
    /// a second. A sync stops all else while it lasts.
    var syncAfter = Duration.milliseconds(500)
    /// Time between two tries of a disk that failed: a person who made room looks at it for about as long.
    var diskRetryAfter = Duration.seconds(5)
}
