package import RelayProtocol
package import WebSocketEngine

extension ClientConfiguration {
    /// Configuration of a WebSocket to a relay, authenticated by this token, through the proxy that `proxies` names for it.
    package init(
        _ relay: RelayAddress, path: String, token: String, certificateAuthorityFile: String?,
        proxies: ProxySettings = .environment
    ) {
        let path = relay.prefix + path
        let headers = [("authorization", "Bearer \(token)")]
        switch relay.target {
        case .unix(let file):
            self.init(unixPath: file, path: path, headers: headers, subprotocol: ProtocolVersion.subprotocol)
        case .tcp(let host, let port, let isTLS):
            self.init(
                host: host, port: port, path: path, tls: isTLS, headers: headers, subprotocol: ProtocolVersion.subprotocol,
                certificateAuthorityFile: isTLS ? certificateAuthorityFile : nil)
            dial = Self.dial(host, port, through: Result { () throws(HTTPError) in try proxies.proxy(for: relay) })
        }
    }

    /// Opens a connection through the proxy; nil if there is none.
    private static func dial(
        _ host: String, _ port: UInt16, through proxy: Result<ProxyAddress?, HTTPError>
    ) -> (@Sendable () -> Result<Int32, WebSocketEngineError>)? {
        switch proxy {
        case .success(nil): return nil
        case .failure(let error): return { .failure(WebSocketEngineError(.cannotConnect, error.message)) }
        case .success(let proxy?):
            return {
                do throws(HTTPError) {
                    return .success(try ProxyTunnel.connect(to: host, port, through: proxy).release())
                } catch { return .failure(WebSocketEngineError(.cannotConnect, error.message)) }
            }
        }
    }

    /// Takes over the relay's announced heartbeat.
    package mutating func follow(_ heartbeat: Heartbeat) {
        guard heartbeat.pingSeconds < heartbeat.hangUpSeconds else { return }
        liveness = Liveness(pingAfter: .seconds(heartbeat.pingSeconds), hangUpAfter: .seconds(heartbeat.hangUpSeconds))
    }
}
