/// One process of an agent. The time of its start distinguishes it from a later process with the same number.
package struct AgentProcess: Hashable, Sendable {
    package var id: Int32
    /// Time of its start, in the kernel's ticks since boot; 0 if it could not be read.
    package var startedAt: UInt64

    package init(id: Int32, startedAt: UInt64) {
        self.id = id
        self.startedAt = startedAt
    }

    /// Names one run of the agent on the wire.
    package var run: String { "\(id)-\(startedAt)" }
}
