internal import HostCore

/// An agent in the daemon: its adapter, and the driver that reads and writes for it.
struct DaemonPart {
    let adapter: (_ home: String, _ digests: Digests, _ now: HostInstant) -> any AgentAdapter
    let driver: (DriverSeat) -> any AgentDriver
}
