/// Every bound of a hook call, each with its reason.
package struct HookLimits: Sendable {
    /// Time to reach the daemon, send the event and get its confirmation: short enough to be unnoticed before each tool call.
    package var budget = Duration.milliseconds(50)
    /// Time without an answer after which we check whether the daemon is stopped, and if so stop waiting. Nil: no check.
    package var glance: Duration?
    /// The `budget` of a tool call while a session is held or there are rules: a daemon that waits for its disk, or for a processor,
    /// must not let the tool run unasked.
    package var guardedBudget = Duration.seconds(2)
    /// Total time to send a large event as long as the daemon keeps reading: it does not fit into the socket's buffer, and dropping
    /// it would lose the end of a tool call. Silence for a `budget` ends it earlier, and a longer `budget` counts instead.
    package var transferMax = Duration.milliseconds(500)
    /// Time for the agent to finish writing our input; agents write it at once, and none waits longer for a hook than this.
    package var inputWait = Duration.seconds(5)
    /// Bytes of the input: a tool's result with an image in it. Of a longer one only the beginning is sent, marked as such.
    package var inputBytesMax = 8 << 20
    /// Bytes of a response: a decision has a few hundred, an answer to questions repeats them, and a prompt may come with four
    /// pictures.
    package var responseBytesMax = 6 << 20
    /// Bytes of a response's head; our daemon writes about 100.
    package var responseHeadBytesMax = 16 << 10
    /// Interval at which a waiting hook checks that its agent is alive.
    package var agentCheck = Duration.seconds(1)
    /// Time for clients to answer if a person may be waiting for the agent's dialog and keys are not seen. The kernel may take this
    /// long to report a key.
    var unseenKeysWait = Duration.seconds(8)
    /// Interval at which a waiting hook probes the daemon. A daemon that is stopped or stuck keeps its connections open, and an agent
    /// without a terminal would wait for it until its own time-out.
    package var probeInterval = Duration.seconds(3)
    /// Time for the answer to a probe; a daemon that is reading the largest input answers sooner.
    package var probePatience = Duration.seconds(1)
    /// Probes that have to fail in a row: one can fail because the machine slept.
    package var probeMisses = 3
    /// Time between attempts to reach a daemon that went away while it had our question.
    package var retryInterval = Duration.milliseconds(250)
    /// Maximum absence of such a daemon while an agent waits for us alone: a restart takes about a second, and a crash loop must not hold
    /// the agent for ever.
    package var retryWindow = Duration.seconds(15)
    /// Time between later attempts, after that window; within `ApprovalLimits.reclaimWithin` of the daemon's return.
    package var retryIntervalLater = Duration.seconds(1)
    /// Longest life of a question: the agent's own time-out ends us then too.
    package var questionLife = Duration.seconds(86_400)

    package init() {}

    /// Sets the limits for hooks that keep the agent's dialog closed, for which a person may be waiting.
    mutating func keepDialogClosed() {
        // The same interval is used to look for keys at the terminal.
        agentCheck = .milliseconds(200)
        // A restart of the daemon takes about a second; a stopped one is noticed after six.
        retryWindow = .seconds(5)
        probeInterval = .seconds(1)
    }
}
