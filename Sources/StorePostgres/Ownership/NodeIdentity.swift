/// This node's name and address for other nodes.
package struct NodeIdentity: Sendable {
    /// The operator's name for the node, which stays the same after a restart.
    package let name: String
    /// Address for links: `http://…` or `https://…`, without a path.
    package let url: String
    /// The bearer token for links, valid for this process only.
    package let secret: String
    /// Version of the node's program, for people who read the row.
    package let software: String

    package init(name: String, url: String, secret: String, software: String) {
        self.name = name
        self.url = url
        self.secret = secret
        self.software = software
    }
}
