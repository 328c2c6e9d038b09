/// One process that calls itself a node of the database, as its row says.
package struct NodeState: Sendable {
    package let holder: String
    /// What its operator calls it.
    package let name: String
    /// Where it takes links, and the bearer for them.
    package let url: String
    package let secret: String
    /// The version of the link's protocol.
    package let linkVersion: Int
    /// What is left of its lease, less than 0 where it is over.
    package let leaseSeconds: Int64
    /// Somebody is connected to the database who calls itself by its name.
    package let isConnected: Bool
    /// Owns a workspace, or everything.
    package let isOwner: Bool
    package let workspaceCount: Int
    /// Its program's version.
    package let software: String
}
