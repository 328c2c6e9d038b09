import RelayModel
import RelayProtocol

/// Letters, in both directions.
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

    /// A client that is slow, or on its way out, misses it: what waits for one connection stays bounded.
    mutating func send(_ letter: Letter, to client: ClientID, by host: HostPeer, at now: Instant) {
        guard let (key, peers) = letters.send(to: client, by: host.key, at: now) else { return }
        let ready = peers.filter { presence.clients[$0]?.isShownOut == false && !subscriptions.isCongested($0) }
        orders.send(.letter(letter, from: key), to: ready)
    }
}
