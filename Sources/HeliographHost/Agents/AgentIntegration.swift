internal import HostCore

/// All that this host does for one agent.
protocol AgentIntegration: SendableMetatype {
    /// As people write it, and as its adapter is named.
    static var name: String { get }

    static func adapter(home: String, _ digests: Digests, at now: HostInstant) -> any AgentAdapter
    static func driver(_ seat: DriverSeat) -> any AgentDriver
}
