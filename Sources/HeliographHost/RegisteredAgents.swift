/// The agents that this host knows: the one place that names them.
enum RegisteredAgents {
    static let all: [any AgentIntegration.Type] = [ClaudeIntegration.self, CodexIntegration.self, LocalIntegration.self]
}
