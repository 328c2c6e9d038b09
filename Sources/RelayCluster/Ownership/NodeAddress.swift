/// A node, with the address at which it accepts links.
package struct NodeAddress: Sendable, Equatable {
    package var holder: String
    package var name: String
    /// Base URL: `http://…` or `https://…`, without a path.
    package var url: String
    /// The bearer token for opening a link. Readable by everyone with access to the database, and nobody else.
    package var secret: String
    /// Version of the link's protocol.
    package var version: Int

    package init(holder: String, name: String, url: String, secret: String, version: Int) {
        self.holder = holder
        self.name = name
        self.url = url
        self.secret = secret
        self.version = version
    }
}
