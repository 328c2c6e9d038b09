import RelayCluster
import RelayModel

extension PeerOpening {
    /// The opening of a socket. Its base URL has the socket's name, for the checkers.
    init(of socket: ClusterSocket) {
        let (kind, index): (UInt8, Int) =
            switch socket.role {
            case .host(let index): (0, index)
            case .client(let index): (1, index)
            }
        self.init(
            tokenDigest: [kind, UInt8(index)] + [UInt8](repeating: 0, count: 30), isHost: socket.isHost,
            baseURL: "http://\(socket.id.rawValue)", peer: .ip("127.0.0.1"), counted: nil)
    }

    var role: ClusterSocket.Role { tokenDigest[0] == 0 ? .host(Int(tokenDigest[1])) : .client(Int(tokenDigest[1])) }
    var socket: PeerID { PeerID(rawValue: UInt64(baseURL.dropFirst(7)) ?? 0) }
}
