import RelayModel
import RelayProtocol

/// One connection of a host. Before `hello` it may say nothing else.
struct HostPeer {
    let identity: HostIdentity
    /// Counts the connections of hosts as they came.
    let number: Int64
    var hasSaidHello = false
    var capabilities: Set<Capability> = []
    /// As its first `hello` says.
    var attempt: Int64?

    /// Those that came at once are as new as they came.
    func isNewer(than other: HostPeer) -> Bool {
        if let attempt, let last = other.attempt, attempt != last { return attempt > last }
        return number > other.number
    }

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}
