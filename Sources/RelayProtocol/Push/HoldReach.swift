/// The tools of a session that need approval once its budget is spent, if not all of them do.
package enum HoldReach: String, Sendable, CaseIterable {
    /// All except those that the agent's own rules trust, such as commands that only read.
    case most
    /// The agent asks for as much as before; clients' prompts are refused meanwhile.
    case unchanged
}
