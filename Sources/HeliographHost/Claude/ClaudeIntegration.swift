internal import AgentClaude
internal import HostCore

/// Claude Code, by its hooks.
enum ClaudeIntegration: AgentIntegration {
    static let name = "claude"

    static func adapter(home: String, _ digests: Digests, at now: HostInstant) -> any AgentAdapter {
        ClaudeAdapter(home: home, digests: digests, at: now)
    }

    static func driver(_ seat: DriverSeat) -> any AgentDriver { ClaudeDriver(seat) }
}
