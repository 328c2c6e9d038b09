internal import AgentClaude
import Glibc
internal import RelayProtocol

/// The program in a terminal of ours, to its holder: the session that clients see there, and what they may do to it.
protocol HeldProgram {
    /// Environment that the program gets in addition to ours, given the path of the holder's socket; and what is left out of ours.
    func variables(_ socket: String) -> (added: [String], without: [String])
    var nextDeadline: Int64? { get }
    /// Something of a client's is being typed, so that the screen is looked at often.
    var isAtWork: Bool { get }
    /// Nil while there is none.
    var session: SessionID? { get }
    /// For lists: the agent's own name of the session, what it is doing, and the program if it is not Claude Code.
    var listed: (session: String?, doing: String?, program: String?) { get }

    mutating func began(process: pid_t)
    mutating func look() -> [TypingFact]
    mutating func took(_ prompt: TakenPrompt)
    /// Carries out what it can, and returns the orders for the terminal.
    mutating func handle(_ fact: TypingFact, at now: Int64) -> [TypingOrder]
    /// The program is gone: the remaining reports are sent within the grace.
    mutating func finish(exit: Int32)
}
