internal import HeliographHook
internal import RelayAccess

/// Agents that speak the Agent Client Protocol. `heliograph acp` runs in front of them and reports over the local socket like a
/// user's own program, so the daemon has no part for them, and nothing has to be connected.
enum ACPIntegration: AgentIntegration {
    static let name = "acp"
    static let title = "Agent Client Protocol"

    static var others: [String] { installed { InstalledProgram.path(of: $0) != nil }.map { "\($0.title): \(use(of: $0))" } }

    static func findings(_ paths: HostPaths, executable: String) -> [Finding] {
        findings { InstalledProgram.path(of: $0) != nil }
    }

    static func findings(where isInstalled: (String) -> Bool) -> [Finding] {
        installed(isInstalled).map { Finding($0.title, $0.isRunHere ? .well : .doubtful, use(of: $0)) }
    }

    private static func installed(_ isInstalled: (String) -> Bool) -> [KnownACPAgent] {
        KnownACPAgent.all.filter { isInstalled($0.program) }
    }

    private static func use(of agent: KnownACPAgent) -> String {
        "reported if it is started by `heliograph acp -- \(agent.command)`"
            + (agent.isRunHere ? "" : "; mapped from its documents, not run here")
    }
}
