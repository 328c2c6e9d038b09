/// Every bound of a hook call, next to its reason.
package struct HookLimits: Sendable {
    /// To find the daemon, hand over the event and see it taken: what a person does not notice before each tool call.
    package var budget = Duration.milliseconds(50)
    /// Without an answer for so long, it is looked whether the daemon is stopped: then no answer comes, and none is waited for. Nil: not looked.
    package var glance: Duration?
    /// `budget` for a tool call while something is held: a daemon that waits for its disk must not let the tool run unasked.
    package var heldBudget = Duration.seconds(2)
    /// Total time to send a large event as long as the daemon keeps reading: the event does not fit into the socket's buffer, and
    /// dropping it would lose the end of a tool call. Silence for a `budget` ends it earlier.
    package var transferMax = Duration.milliseconds(500)
    /// For the agent to finish writing our input; agents write it at once, and none waits longer for a hook than this.
    package var inputWait = Duration.seconds(5)
    /// A tool's result with an image in it; of what is longer the beginning is sent, and that it is one.
    package var inputBytesMax = 8 << 20
    /// A decision is a few hundred bytes; an answer to questions echoes them, and a prompt may come with four pictures.
    package var responseBytesMax = 6 << 20
    /// The head of a response; our daemon writes about 100 bytes.
    package var responseHeadBytesMax = 16 << 10
    /// Interval at which a waiting hook checks that its agent is alive.
    package var agentCheck = Duration.seconds(1)
    /// Time for clients to answer if a person may be waiting for the agent's dialog and keys are not seen. The kernel may not report a key for as long.
    var unseenKeysWait = Duration.seconds(8)
    /// Interval at which a waiting hook probes the daemon. A daemon that is stopped or stuck keeps its connections open, and an agent
    /// without a terminal would wait for it until its own time-out.
    package var probeInterval = Duration.seconds(3)
    /// For the answer to that; a daemon that looks through the largest input answers sooner.
    package var probePatience = Duration.seconds(1)
    /// So many in a row without an answer: one can fail because this machine slept through it.
    package var probeMisses = 3
    /// Between attempts to reach a daemon that went away while it held our question.
    package var retryInterval = Duration.milliseconds(250)
    /// Maximum absence of such a daemon while an agent waits for us alone: a restart takes about a second, and a crash loop must not hold
    /// the agent for ever.
    package var retryWindow = Duration.seconds(15)
    /// The same, after that window: within `ApprovalLimits.reclaimWithin` of the daemon's return.
    package var retryIntervalLater = Duration.seconds(1)
    /// The agent's own time-out ends us then, too.
    package var questionLife = Duration.seconds(86_400)

    package init() {}

    /// For hooks that keep the agent's dialog closed, for which a person may be waiting.
    mutating func keepDialogClosed() {
        // Keys at the terminal are looked for as well.
        agentCheck = .milliseconds(200)
        // A restart of the daemon takes about a second; one that is stopped is noticed after six.
        retryWindow = .seconds(5)
        probeInterval = .seconds(1)
    }
}
