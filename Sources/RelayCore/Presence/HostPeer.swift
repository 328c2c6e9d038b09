import RelayModel
import RelayProtocol

/// One connection of a host. Its first message must be `hello`.
struct HostPeer {
    let identity: HostIdentity
    /// Number of the connection, counting those of all hosts in their order.
    let number: Int64
    var hasSaidHello = false
    var capabilities: Set<Capability> = []
    /// The host's own number of the connection, from its first `hello`.
    var attempt: Int64?

    /// True if this connection is the newer one of its host: by `attempt` if both have one and they differ, else by their order.
    func isNewer(than other: HostPeer) -> Bool {
        if let attempt, let last = other.attempt, attempt != last { return attempt > last }
        return number > other.number
    }

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}
