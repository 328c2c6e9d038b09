import RelayProtocol

/// Who looks. A device is spared pushes only on proof: its own app is connected, in the foreground, and was heard of lately.
extension Relay {
    mutating func setPresence(
        _ isForeground: Bool, _ session: SessionID?, _ device: DeviceID?, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let before = clients[peer]?.presence
        // A connection speaks for a device of its own client only.
        let key = device.map { DeviceKey(workspace: client.workspace, device: $0) }
        let isOwn = key.map { push.devices[$0]?.client.id == client.identity.client.id } ?? false
        clients[peer]?.presence = Presence(
            isForeground: isForeground, session: session, device: isOwn ? device : nil, heardAt: now.uptime)
        if let old = before?.device, old != device || !isForeground || !isOwn {
            leave(DeviceKey(workspace: client.workspace, device: old), peer, at: now)
        }
        if isForeground {
            push.foregroundPeers[client.workspace, default: []].insert(peer)
            if isOwn, let key { push.presentPeers[key, default: []].insert(peer) }
        } else {
            push.foregroundPeers[client.workspace]?.remove(peer)
        }
    }

    /// Anything that a client says shows that it is there.
    mutating func heard(_ peer: PeerID, at now: Instant) {
        clients[peer]?.presence?.heardAt = now.uptime
    }

    mutating func presenceEnded(_ client: ClientPeer, _ peer: PeerID, at now: Instant) {
        push.foregroundPeers[client.workspace]?.remove(peer)
        push.watchers[client.workspace]?.remove(peer)
        if let device = client.presence?.device {
            leave(DeviceKey(workspace: client.workspace, device: device), peer, at: now)
        }
    }

    /// What was kept from the device because it was looking is due now.
    private mutating func leave(_ key: DeviceKey, _ peer: PeerID, at now: Instant) {
        guard push.presentPeers[key]?.remove(peer) != nil, presentUntil(key, at: now) == nil else { return }
        for card in push.cards.keys.filter({ $0.device == key }).sorted() {
            if push.cards[card]?.mailbox != nil, push.cards[card]?.stage == .active || push.cards[card]?.tries == 0 {
                push.cards[card]?.mailbox?.dueAt = now.wall
            }
            for id in push.cards[card]?.seen ?? [] where push.cards[card]?.rings[id] != nil {
                push.cards[card]?.rings[id] = now.wall
            }
            push.cards[card]?.seen = []
            serve(card, at: now)
            serveRings(card, at: now)
        }
    }

    /// Until when the proof holds, by the wall clock; nil: the device does not look.
    func presentUntil(_ key: DeviceKey, at now: Instant) -> Int64? {
        let heard = (push.presentPeers[key] ?? []).compactMap { clients[$0]?.presence?.heardAt }.max()
        guard let heard, heard + WireLimits.presenceMilliseconds > now.uptime else { return nil }
        return now.wall + heard + WireLimits.presenceMilliseconds - now.uptime
    }

    /// Somebody in the workspace looks, on whatever screen: what is asked may be decided before a phone need ring.
    func grace(of key: CardKey, at now: Instant) -> Int64 {
        let isAnybodyThere = (push.foregroundPeers[key.workspace] ?? []).contains { peer in
            clients[peer]?.presence.map { $0.heardAt + WireLimits.presenceMilliseconds > now.uptime } ?? false
        }
        return isAnybodyThere ? PushPolicy.grace : 0
    }
}
