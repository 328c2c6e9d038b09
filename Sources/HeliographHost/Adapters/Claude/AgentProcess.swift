/// One process of an agent. The time of its start tells it from a later process with the same number.
struct AgentProcess: Hashable, Sendable {
    var id: Int32
    /// In the kernel's ticks since boot; 0 where it could not be read.
    var startedAt: UInt64

    /// Names one run of the agent on the wire.
    var run: String { "\(id)-\(startedAt)" }
}
