/// The bytes between an agent that is our child and the person in front of it: every bound, next to its reason.
struct ChildLimits: Sendable {
    /// Bytes that wait for a slow reader; then its writer waits, as it would without us.
    var bufferBytes = 1 << 20
    /// One read: what a pipe holds.
    var readBytes = 64 << 10
    /// One write after the system said that there is room: a pipe then takes so much without waiting.
    var writeBytes = 4 << 10
    /// The agent's last output may still be held by a program that it started.
    var drainGrace = Duration.seconds(1)
}
