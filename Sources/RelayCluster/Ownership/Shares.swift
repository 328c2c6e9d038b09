/// The share of each node, so that none owns two workspaces more than another, and the nodes for workspaces without an owner. Nodes
/// with the same view compute the same result. Nodes keep what they own up to their share: a workspace moves only if that evens out
/// the shares.
package struct Shares: Sendable {
    private let nodes: [NodeAddress]
    /// Workspaces per node. The remainder goes to the first `left` nodes, one each.
    private let share: Int
    private var left: Int
    /// Number of workspaces that each node has, or is about to have.
    private var counts: [String: Int]
    /// Nodes above their share.
    private var overfull: Set<String> = []
    /// The holder that each free workspace belongs to, by the workspace's scope.
    private var places: [String: String] = [:]

    /// `nodes`: those that may own workspaces.
    package init(_ view: PlacementView, among nodes: [NodeAddress]) {
        self.nodes = nodes
        counts = view.counts
        (share, left) = nodes.isEmpty ? (0, 0) : view.rows.count.quotientAndRemainder(dividingBy: nodes.count)
        // The remainder goes to the nodes that own most.
        for node in nodes.sorted(by: { (count($1), $0.holder) < (count($0), $1.holder) }) where count(node) > share {
            let mayHaveMore = left > 0
            if mayHaveMore { left -= 1 }
            if count(node) > share + (mayHaveMore ? 1 : 0) { overfull.insert(node.holder) }
        }
        for row in view.rows.filter(\.isFree).sorted(by: { $0.scope < $1.scope }) { take(row) }
    }

    /// The node that should claim the workspace; nil if it has an owner, or there is no node.
    package func place(ofFree scope: String) -> String? { places[scope] }

    package func isOverfull(_ holder: String) -> Bool { overfull.contains(holder) }

    /// The node that the workspace would belong to if it became free; nil: no node has room.
    package func place(for row: PlacementView.Row) -> String? {
        Rendezvous.preferred(for: row.key, among: nodes.filter { count($0) < share + (left > 0 ? 1 : 0) })
    }

    private mutating func take(_ row: PlacementView.Row) {
        guard let place = place(for: row) else { return }
        places[row.scope] = place
        if counts[place, default: 0] == share { left -= 1 }
        counts[place, default: 0] += 1
    }

    private func count(_ node: NodeAddress) -> Int { counts[node.holder, default: 0] }
}
