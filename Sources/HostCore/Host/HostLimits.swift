/// The bounds of the host's waiting, each with its reason.
struct HostLimits: Sendable {
    /// From the first news to sending: hooks get their answers before the disk is waited for, and what comes close together goes together.
    var flushAfter = Duration.milliseconds(1)
    /// While the relay is away: what a power cut may take, less than a second with what the disk needs. Each sync stops all else for as long
    /// as it takes.
    var syncAfter = Duration.milliseconds(500)
    /// Between two tries of a disk that failed: a person who made room looks at it for about as long.
    var diskRetryAfter = Duration.seconds(5)
}
