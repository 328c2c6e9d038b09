/// The agents that this host knows: the one place that names them.
enum RegisteredAgents {
    static let all: [any AgentIntegration.Type] = [
        ClaudeIntegration.self, CodexIntegration.self, ACPIntegration.self, LocalIntegration.self,
    ]

    /// Nil if there is none of that name.
    static func named(_ name: String) -> (any AgentIntegration.Type)? { all.first { $0.name == name } }
}
