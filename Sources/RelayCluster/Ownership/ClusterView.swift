/// The database's word on the nodes, as of one look.
package struct ClusterView: Sendable, Equatable {
    /// Grows with each change of the owner.
    package var generation: Int64
    /// The process that owns the log; nil: nobody does.
    package var holder: String?
    /// Nobody holds it who is alive.
    package var isFree: Bool
    /// Where the owner takes links; nil where it takes none.
    package var owner: NodeAddress?
    /// Every node whose lease holds, this one among them.
    package var nodes: [Node]

    package init(generation: Int64, holder: String?, isFree: Bool, owner: NodeAddress?, nodes: [Node]) {
        self.generation = generation
        self.holder = holder
        self.isFree = isFree
        self.owner = owner
        self.nodes = nodes
    }

    package struct Node: Sendable, Equatable {
        /// This process, and no other.
        package var holder: String
        /// What its operator calls it: the same after a restart.
        package var name: String

        package init(holder: String, name: String) {
            self.holder = holder
            self.name = name
        }
    }
}

/// Where a node takes links.
package struct NodeAddress: Sendable, Equatable {
    package var holder: String
    package var name: String
    /// `http://…` or `https://…`, without a path.
    package var url: String
    /// The bearer token for dialling it: everybody who may read the database can read it, and nobody else.
    package var secret: String
    /// The version of the link's protocol.
    package var version: Int

    package init(holder: String, name: String, url: String, secret: String, version: Int) {
        self.holder = holder
        self.name = name
        self.url = url
        self.secret = secret
        self.version = version
    }
}
