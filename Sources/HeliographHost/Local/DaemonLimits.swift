/// Bounds of the exchange between a program that runs an agent and the daemon, each with its reason.
struct DaemonLimits: Sendable {
    /// Time for the daemon to take one report; only later reports wait for it.
    var postBudget = Duration.seconds(2)
    /// Time between attempts to reach a daemon that is away.
    var retryInterval = Duration.seconds(1)
    /// Time between requests to a daemon that knows no steering, or gives the session's commands to another program.
    var unwantedInterval = Duration.seconds(60)
    /// Time for the daemon to take the last reports.
    var reportGrace = Duration.seconds(2)
    /// Outcomes of clients' commands that wait for the daemon: two for each command that it may give (`SteeringLimits.handedMax`).
    var changesMax = 128

    /// Limits for a program that has the session to itself. No other program has it open, so none waits for its commands for long.
    static var ofSoleProgram: DaemonLimits {
        var limits = DaemonLimits()
        limits.unwantedInterval = limits.retryInterval
        return limits
    }
}
