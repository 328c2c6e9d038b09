import RelayModel
import RelayProtocol

/// One connection of a host. Before `hello` it may say nothing else.
struct HostPeer {
    let identity: HostIdentity
    /// Counts the connections of hosts as they came.
    let number: Int64
    var hasSaidHello = false
    var capabilities: Set<Capability> = []
    /// The number of the host's connection, from its first `hello`.
    var attempt: Int64?

    /// Equal attempts count as equally new.
    func isNewer(than other: HostPeer) -> Bool {
        if let attempt, let last = other.attempt, attempt != last { return attempt > last }
        return number > other.number
    }

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}
