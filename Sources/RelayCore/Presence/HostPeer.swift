import RelayModel
import RelayProtocol

/// One connection of a host. Before `hello` it may say nothing else.
struct HostPeer {
    let identity: HostIdentity
    /// Counts the connections of hosts as they came.
    let number: Int64
    var hasSaidHello = false
    var capabilities: Set<Capability> = []

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}
