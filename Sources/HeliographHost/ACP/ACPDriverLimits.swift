/// Every bound of `heliograph acp`, beside its reason.
struct ACPDriverLimits: Sendable {
    /// What waits for a reader that is slow; then its writer waits, as it would without us.
    var bufferBytes = 1 << 20
    /// One read: what a pipe holds.
    var readBytes = 64 << 10
    /// One write after the system said that there is room: a pipe then takes so much without waiting.
    var writeBytes = 4 << 10
    /// For an agent to end after its editor has left: OpenHands does not look at that at all.
    var leaveGrace = Duration.seconds(5)
    /// For an agent to end after SIGTERM.
    var terminateGrace = Duration.seconds(5)
    /// What the agent wrote last may still be held by a program that it started.
    var drainGrace = Duration.seconds(1)
    /// For the editor to take the last of it.
    var flushGrace = Duration.seconds(5)
    /// For the daemon to take the last of it.
    var reportGrace = Duration.seconds(2)

    /// Events that wait for the daemon: a restart of it, not a day without it.
    var queueBytes = 4 << 20
    var queueCount = 4_096
    /// One request to the daemon.
    var batchBytes = 512 << 10
    var batchCount = 64
    /// For the daemon to take it; nobody waits for that but what comes after.
    var postBudget = Duration.seconds(2)
    /// Between attempts to reach a daemon that is away.
    var retryInterval = Duration.seconds(1)
    /// How soon a question that is answered elsewhere is taken back.
    var withdrawCheck = Duration.milliseconds(100)
    /// How long the daemon may keep a question: as long as the agent's own hooks' questions live.
    var questionSeconds: Int64 = 86_400
    /// The same where only those afar can be asked; then it is denied.
    var headlessQuestionSeconds: Int64 = 3_600
    /// Outcomes of commands from afar that wait for the daemon; it has given us no more than that.
    var changesMax = 64
    /// A daemon that knows no steering, or gives a session's commands to another program: it is not asked all the time.
    var unwantedInterval = Duration.seconds(60)
    /// Somebody can answer here as well: a daemon that is away is waited for.
    var isAttended = true
}
