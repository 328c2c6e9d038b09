/// Bounds of the bytes between an agent that is our child and the person in front of it, each with its reason.
struct ChildLimits: Sendable {
    /// Bytes that wait for a slow reader; beyond this its writer waits, as it would without us.
    var bufferBytes = 1 << 20
    /// Bytes of one read: the content of a pipe.
    var readBytes = 64 << 10
    /// Bytes of one write after the system reported room: a pipe then takes this much without blocking.
    var writeBytes = 4 << 10
    /// Time in which the agent's last output is read after its end; a program that it started may hold the pipe open.
    var drainGrace = Duration.seconds(1)
}
