/// How many workspaces each node may own so that none has two more than another, and where those belong that nobody owns. The same at all
/// nodes that see the same. Nodes keep what they own as long as it is no more than their share: nothing moves that evens nothing out.
package struct Shares: Sendable {
    private let nodes: [NodeAddress]
    /// What every node is to have. `left` of them may have one more, as it does not come out even.
    private let share: Int
    private var left: Int
    /// How many each has, or is about to have.
    private var counts: [String: Int]
    /// Those that have more than they may.
    private var overfull: Set<String> = []
    /// The holder that each free workspace belongs to, by its scope.
    private var places: [String: String] = [:]

    /// `nodes` are those that may own something.
    package init(_ view: PlacementView, among nodes: [NodeAddress]) {
        self.nodes = nodes
        counts = view.counts
        (share, left) = nodes.isEmpty ? (0, 0) : view.rows.count.quotientAndRemainder(dividingBy: nodes.count)
        // Those that have most keep one more.
        for node in nodes.sorted(by: { (count($1), $0.holder) < (count($0), $1.holder) }) where count(node) > share {
            let mayHaveMore = left > 0
            if mayHaveMore { left -= 1 }
            if count(node) > share + (mayHaveMore ? 1 : 0) { overfull.insert(node.holder) }
        }
        for row in view.rows.filter(\.isFree).sorted(by: { $0.scope < $1.scope }) { take(row) }
    }

    /// Whose it is to take; nil: somebody owns it, or there is no node.
    package func place(ofFree scope: String) -> String? { places[scope] }

    /// Whether it owns more than its share.
    package func isOverfull(_ holder: String) -> Bool { overfull.contains(holder) }

    /// Where a workspace would belong if it became free; nil: no node has room.
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
