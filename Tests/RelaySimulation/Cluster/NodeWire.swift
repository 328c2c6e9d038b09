import RelayCluster
import RelayModel

/// A link between two nodes: bytes from either end arrive in order, late, or not at all.
///
/// Each record also carries the names of the sockets that it is for, which only a checker reads, never a node.
final class NodeWire {
    /// In the edge's direction: congested beyond, and drained below; so small that both are met.
    static let congestedBytes = 6 << 10
    static let drainedBytes = 1 << 10

    /// As long as a living node may take.
    static let dialPatience: Int64 = 3_000
    /// After this much silence an end takes the other for gone.
    static let silenceMax: Int64 = 6_000

    let edge: EdgePart
    unowned let owner: ClusterNode
    let edgeLife: Int
    let ownerLife: Int
    var isOpenAtEdge = false
    /// The owner's number of it; nil: it is not open there.
    var number: Int?
    var isCut = false
    var lastAtEdge: Int64 = 0
    var lastAtOwner: Int64 = 0
    /// On their way to the owner.
    var waitingBytes = 0
    var isCongested = false

    init(edge: EdgePart, owner: ClusterNode) {
        self.edge = edge
        self.owner = owner
        edgeLife = edge.node.life
        ownerLife = owner.life
    }
}
