/// One process that calls itself a node of the database, as its row says.
package struct NodeState: Sendable {
    package let holder: String
    /// The operator's name for it.
    package let name: String
    /// Address for links, and their bearer.
    package let url: String
    package let secret: String
    /// The version of the link's protocol.
    package let linkVersion: Int
    /// Rest of its lease, negative if it is over.
    package let leaseSeconds: Int64
    /// A connection to the database has its name.
    package let isConnected: Bool
    /// Owns a workspace, or everything.
    package let isOwner: Bool
    package let workspaceCount: Int
    /// Version of the node's program.
    package let software: String
}
