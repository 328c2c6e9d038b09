internal import AgentClaude
import Glibc
internal import RelayProtocol

/// The program in a terminal of ours, as its holder sees it: the session that clients see there, and what they may do to it.
protocol HeldProgram {
    /// Variables that are added to our environment for the program, given the path of the holder's socket, and names of those that
    /// are removed.
    func variables(_ socket: String) -> (added: [String], without: [String])
    var nextDeadline: Int64? { get }
    /// True while a client's text or keys are being typed, so that the screen is looked at often.
    var isAtWork: Bool { get }
    /// The program's session; nil while there is none.
    var session: SessionID? { get }
    /// Facts for lists: the agent's own name of the session, its current action, and the program if it is not Claude Code.
    var listed: (session: String?, doing: String?, program: String?) { get }

    mutating func began(process: pid_t)
    mutating func look() -> [TypingFact]
    /// Returns true if `look` will show what becomes of the prompt.
    mutating func reported(_ prompt: TakenPrompt) -> Bool
    /// Handles a fact. Returns the orders for the terminal.
    mutating func handle(_ fact: TypingFact, at now: Int64) -> [TypingOrder]
    /// Handles the end of the program: the remaining reports are sent within the grace.
    mutating func finish(exit: Int32)
}
