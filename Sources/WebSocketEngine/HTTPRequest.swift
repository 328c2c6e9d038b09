/// One request as it came over the wire: plain HTTP, or the opening handshake of a WebSocket.
package struct HTTPRequest: Sendable {
    package var method: String

    /// Percent-decoded by libwebsockets, without the query.
    package var path: String

    /// The text after `?`, or nil. libwebsockets has percent-decoded its parts, so an encoded `&` is seen as `&`.
    package var query: String?

    package var body: [UInt8]
    /// The other end of the socket, unless `ServerHandler.headReceived` found another.
    package var peer: Peer

    /// True if `peer` is not the other end of the socket, but the address that a proxy gave.
    package var isNamedByProxy = false

    /// Its connection, among those of one loop in the order in which they were accepted.
    package var connection: ConnectionID?

    /// True if this very hop is TLS; a reverse proxy's own hop is in `x-forwarded-proto`.
    package var isTLS: Bool

    /// Names in lower case.
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

    /// The value of a header by its name in any case, or nil. Only what `HeaderReader.standard` and
    /// `ListenerConfiguration.extraHeaders` name is ever found.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// The client's `Sec-WebSocket-Protocol`, in its order.
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
