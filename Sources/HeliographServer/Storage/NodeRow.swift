internal import StorePostgres

/// One process that is registered as a node of the relay's database, as in its row; see `NodeState`.
struct NodeRow {
    let name: String
    let url: String
    let secret: String
    let linkVersion: Int
    let leaseSeconds: Int64
    let isConnected: Bool
    /// Number of workspaces that it owns.
    let workspaceCount: Int
    let software: String

    init(_ state: NodeState) {
        (name, url, secret, linkVersion) = (state.name, state.url, state.secret, state.linkVersion)
        (leaseSeconds, isConnected, workspaceCount, software) = (
            state.leaseSeconds, state.isConnected, state.workspaceCount, state.software
        )
    }
}
