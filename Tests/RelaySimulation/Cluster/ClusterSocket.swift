import RelayModel

/// One WebSocket between a peer and a node: bytes in order each way.
final class ClusterSocket {
    /// Longest wait of a peer that was disconnected without a reason.
    static let retryMax: Int64 = 2_000
    /// Time after which a peer gives up connecting: a stopped node accepts connections, but sends nothing.
    static let connectPatience: Int64 = 10_000

    enum Role: Hashable {
        case host(Int)
        case client(Int)
    }

    let id: PeerID
    let role: Role
    let node: ClusterNode
    /// The node's run at the time of connecting.
    let life: Int
    var isOpenAtNode = false
    var isOpenAtPeer = false
    /// True if it is broken or closed: nothing sent from now on arrives.
    var isCut = false
    /// True while the node does not read; messages wait.
    var isPaused = false
    var unread: [[UInt8]] = []
    var lastAtNode: Int64 = 0
    var lastAtPeer: Int64 = 0

    init(id: PeerID, role: Role, node: ClusterNode) {
        self.id = id
        self.role = role
        self.node = node
        life = node.life
    }

    var name: String {
        switch role {
        case .host(let index): "host\(index)"
        case .client(let index): "client\(index)"
        }
    }

    var isHost: Bool { if case .host = role { true } else { false } }
}
