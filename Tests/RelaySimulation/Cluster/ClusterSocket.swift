import RelayModel

/// One WebSocket between a peer and the node that it came to: bytes in order each way.
final class ClusterSocket {
    /// Longest wait of a peer that was sent away without a reason.
    static let retryMax: Int64 = 2_000
    /// A node that is stopped accepts connections, and sends nothing.
    static let connectPatience: Int64 = 10_000

    enum Role: Hashable {
        case host(Int)
        case client(Int)
    }

    let id: PeerID
    let role: Role
    let node: ClusterNode
    /// The life of the node that it came to.
    let life: Int
    var isOpenAtNode = false
    var isOpenAtPeer = false
    /// Broken, or closed: nothing that is sent from now on arrives.
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
