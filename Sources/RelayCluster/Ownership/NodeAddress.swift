/// The address at which a node accepts links.
package struct NodeAddress: Sendable, Equatable {
    package var holder: String
    package var name: String
    /// `http://…` or `https://…`, without a path.
    package var url: String
    /// The bearer token for dialling it: readable by all that may read the database, and by no others.
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
