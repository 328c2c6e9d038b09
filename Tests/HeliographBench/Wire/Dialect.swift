internal import RelayProtocol

/// The server's protocol: our own or, for comparison, that of other servers.
package enum Dialect: String, Sendable, CaseIterable {
    case heliograph
    /// A message sent to `/pub/SESSION` arrives at `/sub/SESSION`: nchan, or any WebSocket server of a page.
    case plain
    /// The protocol of NATS over WebSocket.
    case nats
    /// MQTT 3.1.1 over WebSocket.
    case mqtt

    /// True if messages may span frames.
    var isStream: Bool { self == .nats || self == .mqtt }

    var opcode: Frame.Opcode { isStream ? .binary : .text }

    /// The HTTP request that opens a connection. The key is constant, because the response to it is not checked.
    func upgrade(_ role: Link.Role, host: String, prefix: String, token: String) -> [UInt8] {
        let path =
            switch self {
            case .heliograph: role == .host ? "/v1/host" : "/v1/client"
            case .plain: role == .host ? "/pub/bench" : "/sub/bench"
            case .nats, .mqtt: "/"
            }
        let subprotocol: String? =
            switch self {
            case .heliograph: ProtocolVersion.subprotocol
            case .plain, .nats: nil
            case .mqtt: "mqtt"
            }
        var lines = [
            "GET \(prefix)\(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: aGVsaW9ncmFwaCBiZW5jaA==", "Sec-WebSocket-Version: 13",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        if !token.isEmpty { lines.append("Authorization: Bearer \(token)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
