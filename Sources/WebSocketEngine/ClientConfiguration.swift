/// The address and the options of an outbound WebSocket connection.
package struct ClientConfiguration: Sendable {
    /// A name or a literal address (IPv6 without brackets), which the certificate must name. Also the `Host` header.
    package var host: String
    package var port: UInt16

    /// Path and query.
    package var path: String

    package var tls: Bool

    /// Connects to this socket file instead; `host` is then only the header.
    package var unixPath: String?

    /// Connects to the server in place of the engine, for example through a proxy; `host` and `port` are then only the
    /// certificate's name and the header. Called on a thread of its own, which it may block for as long as `connectTimeout`. The
    /// engine owns the connected stream socket that it returns.
    package var dial: (@Sendable () -> Result<Int32, WebSocketEngineError>)?

    /// Headers to send with the handshake, for example `Authorization`.
    package var headers: [(String, String)]

    package var subprotocol: String?

    /// File of authorities to trust in addition to the system's.
    package var certificateAuthorityFile: String?

    /// Time from `connect` to the open WebSocket, including name resolution.
    package var connectTimeout: Duration = .seconds(15)

    package var limits = Limits()
    package var liveness = Liveness()

    package init(
        host: String, port: UInt16, path: String = "/", tls: Bool = false, headers: [(String, String)] = [],
        subprotocol: String? = nil, certificateAuthorityFile: String? = nil
    ) {
        self.host = host
        self.port = port
        self.path = path
        self.tls = tls
        self.headers = headers
        self.subprotocol = subprotocol
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    package init(
        unixPath: String, host: String = "localhost", path: String = "/", headers: [(String, String)] = [],
        subprotocol: String? = nil
    ) {
        self.init(host: host, port: 80, path: path, headers: headers, subprotocol: subprotocol)
        self.unixPath = unixPath
    }
}
