internal import AgentCodex
internal import HostCore

/// Codex, by its shared app-server.
enum CodexIntegration: AgentIntegration {
    static let name = CodexAdapter.name

    static func adapter(home: String, _ digests: Digests, at now: HostInstant) -> any AgentAdapter {
        CodexAdapter(home: home, digests: digests, at: now)
    }

    static func driver(_ seat: DriverSeat) -> any AgentDriver { CodexDriver(seat, HostPaths()) }
}
