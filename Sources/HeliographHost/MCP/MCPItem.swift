internal import AgentLocal

/// Input for the loop of `heliograph mcp`.
enum MCPItem: Sendable {
    case fact(MCPMachine.Fact)
    /// Asked to end.
    case signal
}
