/// Every bound of `heliograph acp`, next to its reason.
struct ACPDriverLimits: Sendable {
    var child = ChildLimits()
    var daemon = DaemonLimits()

    /// For an agent to end after its editor has left: OpenHands does not look at that at all.
    var leaveGrace = Duration.seconds(5)
    /// For an agent to end after SIGTERM.
    var terminateGrace = Duration.seconds(5)
    /// For the editor to take the last of it.
    var flushGrace = Duration.seconds(5)

    /// Events that wait for the daemon: a restart of it, not a day without it.
    var queueBytes = 4 << 20
    var queueCount = 4_096
    /// Calls whose output waits for the daemon, each with the newest of it alone.
    var outputsMax = 16
    /// Between two reports of calls' output: it takes the daemon's time, and people get it no oftener than once a second.
    var outputInterval = Duration.milliseconds(500)
    /// One request to the daemon.
    var batchBytes = 512 << 10
    var batchCount = 64
    /// Interval of the check whether a question was answered elsewhere.
    var withdrawCheck = Duration.milliseconds(100)
    /// Life of a question at the daemon: as long as that of the agent's own hooks.
    var questionSeconds: Int64 = 86_400
    /// How long clients are asked if nobody else can be; then the request is denied.
    var headlessQuestionSeconds: Int64 = 3_600
    /// The question can be answered here as well: a daemon that is away is waited for.
    var isAttended = true
}
