/// How a session of a world with real adapters is run.
package enum AgentKind: String, Sendable, CaseIterable {
    /// A thread of Codex's shared server, with a terminal and a person at it.
    case codex
    /// Claude Code in a terminal, reported by its hooks.
    case claude
    /// A program that speaks the local protocol.
    case program
    /// An agent that speaks the Agent Client Protocol, an editor, and the proxy between them.
    case acp
    /// Claude Code without a screen, run by `heliograph run`.
    case control
    /// Claude Code with its screen, in a terminal that `heliograph claude` holds.
    case typing
}
