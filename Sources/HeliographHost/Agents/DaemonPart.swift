internal import HostCore

/// An agent in the daemon: its translator, and what does the reading and writing for that.
struct DaemonPart {
    let adapter: (_ home: String, _ digests: Digests, _ now: HostInstant) -> any AgentAdapter
    let driver: (DriverSeat) -> any AgentDriver
}
