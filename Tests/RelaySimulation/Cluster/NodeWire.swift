import RelayCluster
import RelayModel

/// A link between two nodes: bytes from either end arrive in order, late, or not at all.
///
/// Each record also carries the names of the sockets that it is for, which only checkers read.
final class NodeWire {
    /// Bytes to the owner at which the edge is congested, and below which it has drained: so small that both occur.
    static let congestedBytes = 6 << 10
    static let drainedBytes = 1 << 10

    /// Longest time that a living node may take.
    static let dialPatience: Int64 = 3_000
    /// Silence after which an end considers the other gone.
    static let silenceMax: Int64 = 6_000

    let edge: EdgePart
    unowned let owner: ClusterNode
    let edgeLife: Int
    let ownerLife: Int
    var isOpenAtEdge = false
    /// The owner's number of the link; nil if it is not open there.
    var number: Int?
    var isCut = false
    var lastAtEdge: Int64 = 0
    var lastAtOwner: Int64 = 0
    /// Bytes in flight to the owner.
    var waitingBytes = 0
    var isCongested = false

    init(edge: EdgePart, owner: ClusterNode) {
        self.edge = edge
        self.owner = owner
        edgeLife = edge.node.life
        ownerLife = owner.life
    }
}
