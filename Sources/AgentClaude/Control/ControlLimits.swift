/// The bounds of a Claude Code that is run without a terminal of its own, each with its reason.
package struct ControlLimits: Sendable {
    /// One line of its output: what a tool gave back is in one, pictures included. A longer one is not looked at.
    package var lineBytesMax = 16 << 20
    /// Without a person at the terminal, an undecided permission is denied after this. As long as other agents without a terminal wait.
    package private(set) var decideWithin = Duration.seconds(3_600)
    /// From the beginning of a prompt's turn until it counts as taken without an answer: a turn that is turned down ends within some ms.
    package var takenAfter = Duration.seconds(2)
    /// For a turn that is interrupted to end, before the agent is ended anyway.
    package var turnGrace = Duration.seconds(5)
    /// For the agent to end after the end of its input: its hooks at the end may take 5 s.
    package var endGrace = Duration.seconds(10)
    /// For it to end after SIGTERM.
    package var terminateGrace = Duration.seconds(5)
    /// Permissions that are open at a time: those of the calls of one message, and of subagents.
    package var permissionsMax = 64
    /// Prompts and requests that are under way; the desk gives one prompt at a time, and a person types few.
    package var pendingMax = 64

    /// `decideWithin` is for the person who starts it to say.
    package init(decideWithin: Duration? = nil) {
        if let decideWithin { self.decideWithin = decideWithin }
    }
}
