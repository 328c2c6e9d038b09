/// A connection that an edge has authenticated, with the data that the owner needs. The owner looks the token up in its own list: its
/// rights are never taken from an edge.
package struct PeerOpening: Sendable, Equatable {
    /// SHA-256 of the token.
    package var tokenDigest: [UInt8]
    /// True if the connection used the path for hosts.
    package var isHost: Bool
    /// The URL with which this peer reached the edge, used in links for people.
    package var baseURL: String
    package var peer: NodePeer
    /// The address to which this peer counts in limits per address; nil: none.
    package var counted: NodePeer?

    package init(tokenDigest: [UInt8], isHost: Bool, baseURL: String, peer: NodePeer, counted: NodePeer?) {
        self.tokenDigest = tokenDigest
        self.isHost = isHost
        self.baseURL = baseURL
        self.peer = peer
        self.counted = counted
    }

    static let digestBytes = 32

    func write(to writer: inout RecordWriter) {
        writer.data(tokenDigest)
        writer.byte(isHost ? 1 : 0)
        writer.text(baseURL)
        peer.write(to: &writer)
        writer.byte(counted == nil ? 0 : 1)
        counted?.write(to: &writer)
    }

    init(from reader: inout RecordReader) throws(NodeLinkError) {
        tokenDigest = try reader.data(atMost: Self.digestBytes, "a token's digest")
        guard tokenDigest.count == Self.digestBytes else { throw NodeLinkError(.badValue, "a token's digest has 32 bytes") }
        isHost = try reader.flag("whether a peer is a host")
        baseURL = try reader.text("a peer's base URL")
        peer = try NodePeer(from: &reader)
        counted = try reader.flag("whether a peer is counted") ? try NodePeer(from: &reader) : nil
    }
}
