package import RelayProtocol

/// Owners of all workspaces according to the database, as of one look.
package struct PlacementView: Sendable, Equatable {
    package var rows: [Row]
    /// Nodes with a valid lease, this one among them.
    package var nodes: [NodeAddress]
    /// Holders of nodes that take nothing new: they are about to end.
    package var leaving: Set<String>

    package init(rows: [Row], nodes: [NodeAddress], leaving: Set<String> = []) {
        self.rows = rows
        self.nodes = nodes
        self.leaving = leaving
    }

    /// Workspaces of each owner that is alive.
    var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for row in rows where !row.isFree { if let holder = row.holder { counts[holder, default: 0] += 1 } }
        return counts
    }

    package var scopes: Set<String> { Set(rows.map(\.scope)) }

    /// A row of `owners`: a workspace, or the part that belongs to none.
    package struct Row: Sendable, Equatable {
        package var scope: String
        /// The database's number of the workspace, from 1; the smallest is the first workspace's.
        package var number: Int32
        /// The key that its place is chosen by; a row of no workspace has that of the first workspace.
        package var key: String
        /// Grows with each change of the owner.
        package var generation: Int64
        /// The process that owns it; nil: none.
        package var holder: String?
        /// True if no living process owns it.
        package var isFree: Bool
        /// That of its log; nil if the next owner begins one.
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
