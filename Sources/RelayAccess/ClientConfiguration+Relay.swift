package import RelayProtocol
package import WebSocketEngine

extension ClientConfiguration {
    /// A WebSocket to a relay, authenticated by this token.
    package init(_ relay: RelayAddress, path: String, token: String, certificateAuthorityFile: String?) {
        let path = relay.prefix + path
        let headers = [("authorization", "Bearer \(token)")]
        switch relay.target {
        case .unix(let file):
            self.init(unixPath: file, path: path, headers: headers, subprotocol: ProtocolVersion.subprotocol)
        case .tcp(let host, let port, let isTLS):
            self.init(
                host: host, port: port, path: path, tls: isTLS, headers: headers, subprotocol: ProtocolVersion.subprotocol,
                certificateAuthorityFile: isTLS ? certificateAuthorityFile : nil)
        }
    }

    /// Takes over the relay's announced heartbeat.
    package mutating func follow(_ heartbeat: Heartbeat) {
        guard heartbeat.pingSeconds < heartbeat.hangUpSeconds else { return }
        liveness = Liveness(pingAfter: .seconds(heartbeat.pingSeconds), hangUpAfter: .seconds(heartbeat.hangUpSeconds))
    }
}
