/// Every bound of `heliograph acp`, next to its reason.
struct ACPDriverLimits: Sendable {
    var child = ChildLimits()
    var daemon = DaemonLimits()

    /// Time for an agent to end after its editor has left; OpenHands ignores that entirely.
    var leaveGrace = Duration.seconds(5)
    /// Time for an agent to end after SIGTERM.
    var terminateGrace = Duration.seconds(5)
    /// Time for the editor to read the last output.
    var flushGrace = Duration.seconds(5)

    /// Bytes of events that wait for the daemon: enough for its restart, not for a day without it.
    var queueBytes = 4 << 20
    var queueCount = 4_096
    /// Calls whose output waits for the daemon; of each only the newest is kept.
    var outputsMax = 16
    /// Time between two reports of calls' output: each takes the daemon's time, and clients get updates once a second at most.
    var outputInterval = Duration.milliseconds(500)
    /// Bytes of one request to the daemon.
    var batchBytes = 512 << 10
    var batchCount = 64
    /// Interval of the check whether a question was answered elsewhere.
    var withdrawCheck = Duration.milliseconds(100)
    /// Life of a question at the daemon, in seconds: as long as that of the agent's own hooks.
    var questionSeconds: Int64 = 86_400
    /// Seconds for which clients are asked if nobody else can be; then the request is denied.
    var headlessQuestionSeconds: Int64 = 3_600
    /// True if the question can be answered here as well, so that we wait for a daemon that is away.
    var isAttended = true
}
