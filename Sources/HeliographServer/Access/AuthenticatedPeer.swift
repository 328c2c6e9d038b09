import RelayCore
import WebSocketEngine

/// The peer behind a connection: by which token it came, and from where.
struct AuthenticatedPeer {
    /// Thousands of connections may come by one token: they share it.
    let shared: SharedToken
    var token: Token { shared.token }
    /// How this peer reached us, for links that it can open.
    let baseURL: String
    /// Where its connection comes from.
    let peer: Peer
    /// Where it counts for the limits per address; nil: nowhere.
    let address: Peer?
}

final class SharedToken: Sendable {
    let token: Token
    init(_ token: Token) { self.token = token }
}
