import RelayCluster

/// A node's links to the nodes that own other workspaces.
final class NodeEdges {
    private unowned let node: ClusterNode
    /// Links, by the holder that each was opened for.
    private var edges: [String: EdgePart] = [:]

    init(_ node: ClusterNode) { self.node = node }

    subscript(holder: String) -> EdgePart? { edges[holder] }

    private var all: [EdgePart] { edges.sorted { $0.key < $1.key }.map(\.value) }

    func dial(_ owner: NodeAddress) {
        if edges[owner.holder] != nil {
            return node.world.report(.level, "\(node.name) dials \(owner.holder), to which it has a link")
        }
        guard let other = node.world.nodes.first(where: { $0.name == owner.name }) else {
            preconditionFailure("a node is called \(owner.name)")
        }
        let edge = EdgePart(node, to: owner)
        edges[owner.holder] = edge
        edge.dial(other)
    }

    func hangUp(_ holder: String) { if node.world.plant != .keptLink { edges[holder]?.hangUp() } }

    func ended(_ edge: EdgePart) {
        edges[edge.owner.holder] = nil
        node.placement.linkEnded(edge.owner.holder)
    }

    /// Stops all messages.
    func fallSilent() { for edge in all { edge.fallSilent() } }

    /// Ends all links in order.
    func leave() { for edge in all { edge.take(.left) } }

    /// The process has ended.
    func lose() {
        for edge in all { edge.hangUp() }
        edges = [:]
    }
}
