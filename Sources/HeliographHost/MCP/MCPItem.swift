internal import AgentLocal

/// Input for the loop of `heliograph mcp`.
enum MCPItem: Sendable {
    case fact(MCPMachine.Fact)
    /// The process was asked to end.
    case signal
}
