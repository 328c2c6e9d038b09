/// A request as it was received: plain HTTP, or the opening handshake of a WebSocket.
package struct HTTPRequest: Sendable {
    package var method: String

    /// Percent-decoded by libwebsockets, without the query.
    package var path: String

    /// The text after `?`, or nil. libwebsockets has percent-decoded its parts, so an encoded `&` is seen as `&`.
    package var query: String?

    package var body: [UInt8]
    /// The other end of the socket, unless `ServerHandler.headReceived` found the original sender.
    package var peer: Peer

    /// True if `peer` is not the other end of the socket, but the address that a proxy gave.
    package var isNamedByProxy = false

    /// Id of its connection; on one loop ids increase in the order of acceptance.
    package var connection: ConnectionID?

    /// True if this connection uses TLS; a reverse proxy reports its own in `x-forwarded-proto`.
    package var isTLS: Bool

    /// Headers, with names in lower case.
    package var headers: [(name: String, value: String)]

    package init(
        method: String, path: String, query: String? = nil, headers: [(name: String, value: String)] = [],
        body: [UInt8] = [], peer: Peer, isTLS: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers.map { ($0.name.lowercased(), $0.value) }
        self.body = body
        self.peer = peer
        self.isTLS = isTLS
    }

    /// The value of a header by its name in any case, or nil. Only headers in `HeaderReader.standard` and
    /// `ListenerConfiguration.extraHeaders` are included.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// Subprotocols in the client's `Sec-WebSocket-Protocol`, in its order.
    package var offeredSubprotocols: [String] {
        guard let list = header("sec-websocket-protocol") else { return [] }
        return list.split(separator: ",").map { token in
            var token = token
            while let first = token.first, first == " " || first == "\t" { token.removeFirst() }
            while let last = token.last, last == " " || last == "\t" { token.removeLast() }
            return String(token)
        }
    }
}
