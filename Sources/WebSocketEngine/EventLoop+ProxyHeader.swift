internal import CHeliographLibwebsockets
internal import Glibc

/// PROXY headers precede TLS and HTTP, and libwebsockets 4.1.6 does not support them. We read them when accepting: the kernel
/// reports a connection when its first bytes have arrived, and a proxy sends the header in one piece.
extension EventLoop {
    static func deferAccepting(_ descriptor: Int32, until deadline: Duration) {
        var seconds = Int32(clamping: max(1, deadline.components.seconds))
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The peer of a new connection, from its PROXY header; nil to close it, because the header is missing or its sender is not
    /// trusted.
    func readProxyHeader(_ descriptor: Int32, from proxy: Peer, to listener: Listener) -> Peer? {
        do {
            guard listener.handler.isProxy(proxy) else { throw ProxyHeader.ParseError.malformed("it is no trusted proxy") }
            var bytes: [UInt8] = Array(repeating: 0, count: ProxyHeader.bytesMax)
            let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
            let header = try ProxyHeader(Array(bytes.prefix(max(0, count))))
            // The bytes that follow are the peer's own: TLS, or HTTP.
            guard unsafe recv(descriptor, &bytes, header.count, 0) == header.count else {
                throw ProxyHeader.ParseError.incomplete
            }
            return header.source.map(Peer.ip) ?? proxy
        } catch {
            EngineLog.write(level: 0, line: "a connection of \(proxy) was closed at its PROXY header: \(error)")
            Glibc.close(descriptor)
            noteTurnedAway(from: listener, .proxyHeader)
            return nil
        }
    }
}
