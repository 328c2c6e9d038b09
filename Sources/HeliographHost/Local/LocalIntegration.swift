internal import AgentLocal
internal import HostCore

/// Any program of the user's own, by requests over the local socket.
enum LocalIntegration: AgentIntegration {
    static let name = LocalAdapter.name

    static func adapter(home: String, _ digests: Digests, at now: HostInstant) -> any AgentAdapter {
        LocalAdapter(digests: digests, at: now)
    }

    static func driver(_ seat: DriverSeat) -> any AgentDriver { LocalDriver(seat) }
}
