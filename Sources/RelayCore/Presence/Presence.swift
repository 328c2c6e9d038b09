import RelayModel
import RelayProtocol

/// The connected clients and hosts; each host has one connection that counts.
struct Presence {
    private(set) var hosts: [PeerID: HostPeer] = [:]
    private(set) var clients: [PeerID: ClientPeer] = [:]
    /// The current connection of each connected host.
    private(set) var speakers: [HostKey: PeerID] = [:]
    private var lastHostPeer: Int64 = 0

    // MARK: - Hosts

    mutating func hostConnected(_ peer: PeerID, _ identity: HostIdentity) {
        lastHostPeer += 1
        hosts[peer] = HostPeer(identity: identity, number: lastHostPeer)
    }

    /// Makes this the host's current connection, unless an existing one is newer: the older one may be a dead socket. Nil if it is
    /// not the current one.
    ///
    /// `attempt` says which is newer. Without it, the one that came later is; but connections through different nodes may overtake
    /// each other, so then neither is closed as `replaced`, after which a host would not reconnect.
    mutating func hostSaidHello(
        _ hello: Hello, _ peer: PeerID, _ orders: inout Orders
    ) -> (host: HostPeer, isFirst: Bool)? {
        guard hello.version == ProtocolVersion.current else {
            orders.send(.notice(.unsupportedVersion(hello.version)), toHost: peer)
            orders.add(.close(peer, .unsupportedVersion))
            return nil
        }
        guard var host = hosts[peer] else { return nil }
        let isFirst = !host.hasSaidHello
        if isFirst { host.attempt = hello.attempt }
        let other = speakers[host.key].flatMap { $0 == peer ? nil : (peer: $0, host: hosts[$0]) }
        // A message from before a machine's power failure may arrive after its present ones.
        if let other, let speaker = other.host, !host.isNewer(than: speaker) {
            hosts[peer] = nil
            orders.add(.close(peer, host.attempt == nil && peer.isAtOneNode(with: other.peer) ? .replaced : .restarting))
            return nil
        }
        host.hasSaidHello = true
        host.capabilities = hello.capabilities
        hosts[peer] = host
        guard isFirst else { return (host, false) }
        if let other {
            hosts[other.peer] = nil
            orders.add(.close(other.peer, host.attempt != nil || peer.isAtOneNode(with: other.peer) ? .replaced : .restarting))
        }
        speakers[host.key] = peer
        return (host, true)
    }

    /// Removes a connection. Returns its host if that is now disconnected; nil if another connection is the current one, or there
    /// was none.
    mutating func hostLeft(_ peer: PeerID) -> HostPeer? {
        guard let host = hosts.removeValue(forKey: peer), speakers[host.key] == peer else { return nil }
        speakers[host.key] = nil
        return host
    }

    /// True if this host is connected and has this capability.
    func takes(_ capability: Capability, _ host: HostKey) -> Bool {
        speakers[host].flatMap { hosts[$0] }?.capabilities.contains(capability) == true
    }

    // MARK: - Clients

    mutating func clientConnected(_ peer: PeerID, _ identity: ClientIdentity, hasSaidHello: Bool = false) {
        clients[peer] = ClientPeer(identity: identity, hasSaidHello: hasSaidHello)
    }

    mutating func clientSaidHello(_ hello: Hello, _ peer: PeerID, _ welcome: Welcome, _ orders: inout Orders) {
        guard hello.version == ProtocolVersion.current else {
            orders.send(.notice(.unsupportedVersion(hello.version)), to: [peer])
            orders.add(.close(peer, .unsupportedVersion))
            return
        }
        guard let identity = clients[peer]?.identity else { return }
        clients[peer]?.hasSaidHello = true
        orders.send(
            .welcome(welcome, client: identity.client, workspace: identity.workspace, may: identity.scope.rights), to: [peer])
    }

    /// Disconnects clients without a token. Messages that they sent before they notice are ignored.
    mutating func showOut(allBut holders: Set<ClientKey>, _ orders: inout Orders) {
        for peer in clients.keys.sorted() {
            guard let client = clients[peer], !holders.contains(client.key), !client.isShownOut else { continue }
            clients[peer]?.isShownOut = true
            orders.add(.close(peer, .revoked))
        }
    }

    /// - Returns: true if it was connected.
    mutating func clientLeft(_ peer: PeerID) -> Bool { clients.removeValue(forKey: peer) != nil }

    func count(into census: inout RelayCensus) {
        census.peers = hosts.count + clients.count
        if !Set(speakers.values).isSubset(of: hosts.keys) { census.breach = "a host's connection is kept that has gone" }
    }
}

extension Notice {
    static let helloFirst = Notice(.helloFirst, "the first message is hello")

    static func unsupportedVersion(_ version: Int64) -> Notice {
        Notice(.unsupportedVersion, "this relay speaks version \(ProtocolVersion.current), not \(version)", at: "$.version")
    }

    init(_ code: ErrorCode, _ message: String, at path: String? = nil) {
        self.init(code: code.rawValue, message: message, path: path)
    }
}
