import RelayModel
import RelayProtocol

/// Letters between clients and hosts, in both directions, and from one client to another.
extension Relay {
    mutating func send(
        _ letter: Letter, to key: HostKeyID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        switch letters.send(to: key, by: client.key, at: now) {
        case .refused(let code, let message): orders.reply(.failed(code, message), to: id, of: peer)
        case .to(let hosts):
            for host in hosts.compactMap({ presence.speakers[$0] }) {
                orders.send(.letter(letter, from: client.identity.client), toHost: host)
            }
            orders.reply(.done, to: id, of: peer)
        }
    }

    mutating func send(
        _ letter: Letter, to other: ClientID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        switch letters.send(to: other, by: client.key, at: now) {
        case .refused(let code, let message): orders.reply(.failed(code, message), to: id, of: peer)
        case .to(let peers):
            orders.send(.letter(letter, from: .client(client.identity.client.id)), to: ready(peers))
            orders.reply(.done, to: id, of: peer)
        }
    }

    mutating func send(_ letter: Letter, to client: ClientID, by host: HostPeer, at now: Instant) {
        guard let (key, peers) = letters.send(to: client, by: host.key, at: now) else { return }
        orders.send(.letter(letter, from: .host(key)), to: ready(peers))
    }

    /// The connections that can take a letter now. A slow or closing one misses it, so that its queue stays bounded.
    private func ready(_ peers: [PeerID]) -> [PeerID] {
        peers.filter { presence.clients[$0]?.isShownOut == false && !subscriptions.isCongested($0) }
    }
}
