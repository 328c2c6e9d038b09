import RelayCluster
import RelayProtocol
import WebSocketEngine

/// The engine's configuration, the same for an owner and an edge.
extension ServerConfiguration {
    var eventLoop: EventLoop.Configuration {
        var loop = EventLoop.Configuration()
        loop.waitMethod = .epoll
        loop.headerBytesMax = UInt16(headerKilobytes << 10)
        loop.descriptorsMax = min(loop.descriptorsMax, limits.connectionsMax + ServerLimits.otherDescriptorsMax)
        return loop
    }

    /// Listener for hosts, clients and, with `takesLinks`, other nodes. `unfinishedBytesMax`: the limit of one loop.
    func publicListener(unfinishedBytesMax: Int, takesLinks: Bool) -> ListenerConfiguration {
        var listener = listener(passedSocket.map { .passed($0) } ?? .tcp(host: host, port: port), unfinishedBytesMax)
        listener.tls = tls
        listener.expectsProxyHeader = expectsProxyHeader
        if takesLinks { listener.subprotocols.append(NodeLinkProtocol.subprotocol) }
        return listener
    }

    /// Listener for this machine's commands.
    func adminListener(unfinishedBytesMax: Int) -> ListenerConfiguration {
        listener(.unix(path: AdminSocket(in: dataDirectory).path), unfinishedBytesMax)
    }

    private func listener(_ address: ListenerConfiguration.Address, _ unfinishedBytesMax: Int) -> ListenerConfiguration {
        var listener = ListenerConfiguration(
            address: address, subprotocols: [ProtocolVersion.subprotocol], limits: limits, liveness: liveness)
        listener.limits.unfinishedBytesMax = unfinishedBytesMax
        listener.extraHeaders += [Forwarding.Header.forwarded.rawValue, PageKey.header]
        return listener
    }
}
