import RelayCore
import WebSocketEngine

/// The peer behind a connection: its token and its address.
struct AuthenticatedPeer {
    /// Thousands of connections may use one token: they share this object.
    let shared: SharedToken
    var token: Token { shared.token }
    /// The URL with which this peer reached us, used in links for people.
    let baseURL: String
    /// Address of the connection's other end.
    let peer: Peer
    /// Address to which it counts in limits; nil: none.
    let address: Peer?
}

final class SharedToken: Sendable {
    let token: Token
    init(_ token: Token) { self.token = token }
}
