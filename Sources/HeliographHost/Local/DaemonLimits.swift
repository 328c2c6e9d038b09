/// Bounds of the exchange between a program that runs an agent and the daemon, each with its reason.
struct DaemonLimits: Sendable {
    /// For the daemon to take one report; only later reports wait for it.
    var postBudget = Duration.seconds(2)
    /// Between attempts to reach a daemon that is away.
    var retryInterval = Duration.seconds(1)
    /// A daemon that knows no steering, or gives a session's commands to another program: it is not asked all the time.
    var unwantedInterval = Duration.seconds(60)
    /// For the daemon to take the last of it.
    var reportGrace = Duration.seconds(2)
    /// Outcomes of clients' commands that wait for the daemon: of as many as it gives (`SteeringLimits.handedMax`), two of each.
    var changesMax = 128

    /// For a program that has the session to itself: nobody else waits for its commands for long, for it is open in no other.
    static var ofSoleProgram: DaemonLimits {
        var limits = DaemonLimits()
        limits.unwantedInterval = limits.retryInterval
        return limits
    }
}
