/// The protocol between two nodes: a WebSocket that one opens to another that owns workspaces, with binary messages. For the peers of
/// those workspaces the former is the edge, and the latter the owner. Each message is a sequence of records without separators; see
/// `EdgeMessage` and `OwnerMessage`.
package enum NodeLinkProtocol {
    package static let path = "/v1/link"
    /// Name of the subprotocol. A node with another version of the link has another name, so that the handshake fails.
    package static let subprotocol = "heliograph.link.v2"
    /// Stored in a node's row of `nodes`.
    package static let version = 2
    /// Header of the answer to a request that was not begun, as its workspace is not owned there. An edge that does not know the
    /// header passes on the answer, whose status 503 means the same to a client.
    package static let notOwner = HTTPField("heliograph-not-owner", "1")
}

/// Limits of a link.
package enum NodeLinkLimits {
    /// One message of the link. The largest record contains a snapshot, which may be as large as one peer's queue (16 MiB).
    package static let messageBytesMax = 24 << 20
    /// Bytes that are gathered within a turn of a loop until they are sent, so that the other end can begin with them. It handles a
    /// message of the link in one turn: 64 events for a thousand peers are 150 kB, most of it their numbers, and each peer gets
    /// them in one write.
    package static let gatheredBytesMax = 256 << 10
    /// Queued bytes above which the other end is too slow: an edge then stops reading its peers, and an owner treats the peers of
    /// the link as congested.
    package static let congestedBytes = 8 << 20
    package static let drainedBytes = 1 << 20
    /// One peer's queued bytes on a link, an eighth of what makes the link congested. With more, an edge stops reading the peer; an
    /// owner treats it as congested and stops reading it too. All other peers continue.
    package static let shareBytesMax = 1 << 20
    package static let shareDrainedBytes = 256 << 10
    /// Queued bytes above which an owner sends only small answers over a link: no pictures or listings, which many clients may
    /// request at once.
    package static let answersBytesMax = 16 << 20
    package static let smallAnswerBytes = 64 << 10
    /// Queued bytes above which the link is closed, and its peers reconnect.
    package static let outboxBytesMax = 64 << 20
    /// Peers of one link: more than a node has descriptors.
    package static let peersMax = 1 << 20
    /// Requests of one edge that wait for the owner: a crowd that loads the page at once; each takes memory for a body.
    package static let callsMax = 256
    /// Headers of one request: the most that libwebsockets returns.
    package static let headersMax = 64
    /// Bytes of one header: more than an edge accepts (63 KiB) after each byte may have become three.
    package static let fieldBytesMax = 192 << 10
    package static let bodyBytesMax = 1 << 20
}
