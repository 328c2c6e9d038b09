/// One process that is registered as a node of the database, as in its row.
package struct NodeState: Sendable {
    package let holder: String
    /// The operator's name for it.
    package let name: String
    /// Address for links of other nodes, and below it the bearer token for them.
    package let url: String
    package let secret: String
    /// Version of the link's protocol.
    package let linkVersion: Int
    /// Rest of its lease in seconds, negative once it has expired.
    package let leaseSeconds: Int64
    /// True if a connection to the database has its name.
    package let isConnected: Bool
    /// True if it owns a workspace, or everything.
    package let isOwner: Bool
    package let workspaceCount: Int
    /// Version of the node's program.
    package let software: String
}
