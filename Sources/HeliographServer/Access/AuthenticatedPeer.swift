import RelayCore
import WebSocketEngine

/// The peer behind a connection: by which token it came, and from where.
struct AuthenticatedPeer {
    /// Thousands of connections may come by one token: they share it.
    let shared: SharedToken
    var token: Token { shared.token }
    /// The URL by which this peer reached us, for links that it can open.
    let baseURL: String
    /// Origin of its connection.
    let peer: Peer
    /// Address to which it counts for the limits; nil: none.
    let address: Peer?
}

final class SharedToken: Sendable {
    let token: Token
    init(_ token: Token) { self.token = token }
}
