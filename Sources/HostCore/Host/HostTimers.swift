/// The host's timers whose state is kept nowhere else. An armed timer is not armed again before it has fired.
struct HostTimers {
    /// The armed ones of `flush`, `sync` and `disk`.
    private var armed: Set<HostTimer> = []
    /// Time at which the adapters' timer is due.
    private var agentsDue: Int64?

    func isArmed(_ timer: HostTimer) -> Bool { armed.contains(timer) }

    /// Returns nil if the timer is armed already.
    mutating func arm(_ timer: HostTimer, after wait: Duration) -> HostOrder? {
        armed.insert(timer).inserted ? .arm(timer, after: wait) : nil
    }

    /// Returns nil if the deadline is unchanged.
    mutating func armAgents(due: Int64?, at now: HostInstant) -> HostOrder? {
        guard due != agentsDue else { return nil }
        agentsDue = due
        return due.map { .arm(.agents, after: .milliseconds(max(1, $0 - now.monotonic))) } ?? .disarm(.agents)
    }

    mutating func fired(_ timer: HostTimer) {
        armed.remove(timer)
        if timer == .agents { agentsDue = nil }
    }
}
