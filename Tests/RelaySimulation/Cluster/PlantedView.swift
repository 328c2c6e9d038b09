import RelayCluster

/// Alters a node's view of the owners for a planted fault.
final class PlantedView {
    /// Milliseconds for which a node overlooks a change: longer than any one fault keeps a node away, but limited.
    private static let overlooked: Int64 = 25_000

    private unowned let node: ClusterNode
    /// Time at which each change was first seen.
    private var seen: [String: Int64] = [:]

    init(_ node: ClusterNode) { self.node = node }

    func of(_ view: PlacementView) -> PlacementView {
        var view = view
        switch node.world.plant {
        case .lateClaim:
            // The workspace counts as taken although its owner has gone.
            for index in view.rows.indices where view.rows[index].isFree && view.rows[index].holder != nil {
                if isNew(view.rows[index]) { view.rows[index].isFree = false }
            }
        case .overlookedWorkspace: view.rows.removeAll { $0.generation == 0 && isNew($0) }
        default: break
        }
        return view
    }

    private func isNew(_ row: PlacementView.Row) -> Bool {
        let name = "\(row.scope) \(row.generation)"
        let since = seen[name] ?? node.world.now
        seen[name] = since
        return node.world.now - since < Self.overlooked
    }
}
