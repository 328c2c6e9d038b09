/// Every bound of `heliograph run`, beside its reason.
struct RunLimits: Sendable {
    /// What waits for a terminal that is slow.
    var bufferBytes = 1 << 20
    /// One read: what a pipe holds.
    var readBytes = 64 << 10
    /// One write after the system said that there is room: a pipe then takes so much without waiting.
    var writeBytes = 4 << 10
    /// What the agent wrote last may still be held by a program that it started.
    var drainGrace = Duration.seconds(1)
    /// For the daemon to take one word about the session.
    var postBudget = Duration.seconds(2)
    /// Between attempts to reach a daemon that is away.
    var retryInterval = Duration.seconds(1)
    /// For the daemon to take the last of it.
    var reportGrace = Duration.seconds(2)
    /// Outcomes that wait for the daemon; it has given us no more commands than that.
    var changesMax = 256
}
