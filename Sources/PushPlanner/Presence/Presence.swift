import RelayModel
import RelayProtocol

/// Whether a client is in the foreground, and what it shows.
struct Presence: Equatable {
    var isForeground: Bool
    var workspace: WorkspaceID
    /// The device of the client that reported this.
    var device: DeviceID?
    /// Last message, by `Instant.uptime` in milliseconds.
    var heardAt: Int64

    var key: DeviceKey? { device.map { DeviceKey(workspace: workspace, device: $0) } }

    func isProof(at now: Instant) -> Bool { heardAt + WireLimits.presenceMilliseconds > now.uptime }
}
