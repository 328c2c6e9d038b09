/// The bounds of a Claude Code that is run without its own terminal, each with its reason.
package struct ControlLimits: Sendable {
    /// Bytes of one line of its output: a tool's whole result is on one line, pictures included. A longer line is ignored.
    package var lineBytesMax = 16 << 20
    /// Time after which an undecided permission is denied if no person is at the terminal; as long as other agents without a
    /// terminal wait.
    package private(set) var decideWithin = Duration.seconds(3_600)
    /// Time from the beginning of a prompt's turn until it counts as taken without an answer: a turn that is rejected ends within
    /// some ms.
    package var takenAfter = Duration.seconds(2)
    /// Time for an interrupted turn to end, before the agent is ended anyway.
    package var turnGrace = Duration.seconds(5)
    /// Time for the agent to end after its input was closed: its last hooks may take 5 s.
    package var endGrace = Duration.seconds(10)
    /// Time for the agent to end after SIGTERM.
    package var terminateGrace = Duration.seconds(5)
    /// Permissions that are open at a time: those of one message's calls, and of subagents.
    package var permissionsMax = 64
    /// Prompts and requests under way: the desk gives one prompt at a time, and a person types few.
    package var pendingMax = 64

    /// `decideWithin` is chosen by the person who starts the program.
    package init(decideWithin: Duration? = nil) {
        if let decideWithin { self.decideWithin = decideWithin }
    }
}
