package import RelayProtocol

/// Owners of all workspaces, as read from the database at one time.
package struct PlacementView: Sendable, Equatable {
    package var rows: [Row]
    /// Nodes with a valid lease, this one among them.
    package var nodes: [NodeAddress]
    /// Holders of nodes that are about to end, and claim nothing.
    package var leaving: Set<String>

    package init(rows: [Row], nodes: [NodeAddress], leaving: Set<String> = []) {
        self.rows = rows
        self.nodes = nodes
        self.leaving = leaving
    }

    /// Number of workspaces of each living owner.
    var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for row in rows where !row.isFree { if let holder = row.holder { counts[holder, default: 0] += 1 } }
        return counts
    }

    package var scopes: Set<String> { Set(rows.map(\.scope)) }

    /// A row of `owners`: for a workspace, or for data of no workspace.
    package struct Row: Sendable, Equatable {
        package var scope: String
        /// The workspace's number in the database, from 1; the first workspace has the smallest.
        package var number: Int32
        /// The key by which its node is chosen; a row of no workspace has the first workspace's.
        package var key: String
        /// Increases with each change of the owner.
        package var generation: Int64
        /// The process that owns it; nil: none.
        package var holder: String?
        /// True if no living process owns it.
        package var isFree: Bool
        /// The epoch of its log; nil if the next owner begins one.
        package var epoch: Epoch?

        package init(
            scope: String, number: Int32 = 0, key: String? = nil, generation: Int64, holder: String?, isFree: Bool,
            epoch: Epoch? = nil
        ) {
            self.scope = scope
            self.number = number
            self.key = key ?? scope
            self.generation = generation
            self.holder = holder
            self.isFree = isFree
            self.epoch = epoch
        }
    }
}
