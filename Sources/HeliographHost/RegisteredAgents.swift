/// The agents that this host knows; no other place lists them.
enum RegisteredAgents {
    static let all: [any AgentIntegration.Type] = [
        ClaudeIntegration.self, CodexIntegration.self, ACPIntegration.self, LocalIntegration.self,
    ]

    /// The agent of that name; nil if there is none.
    static func named(_ name: String) -> (any AgentIntegration.Type)? { all.first { $0.name == name } }
}
