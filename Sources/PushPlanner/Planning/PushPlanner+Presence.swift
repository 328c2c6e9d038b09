import RelayModel
import RelayProtocol

/// Effects of a person looking at a screen, and looking away.
extension PushPlanner {
    mutating func setPresence(_ isForeground: Bool, _ device: DeviceID?, _ request: ClientRequest, at now: Instant) {
        // A connection can report for its own client's device only.
        let key = device.map { DeviceKey(workspace: request.workspace, device: $0) }
        let isOwn = key.map { devices[$0]?.client.id == request.client.client.id } ?? false
        let presence = Presence(
            isForeground: isForeground, workspace: request.workspace, device: isOwn ? device : nil, heardAt: now.uptime)
        if let old = presences.leave(for: presence, request.peer) { turnedAway(old, at: now) }
        presences.enter(presence, request.peer)
    }

    mutating func left(_ peer: PeerID, at now: Instant) {
        for workspace in watchers.keys { watchers[workspace]?.remove(peer) }
        if let key = presences.end(peer) { turnedAway(key, at: now) }
    }

    /// Makes alerts due that were kept back while a person was looking.
    private mutating func turnedAway(_ key: DeviceKey, at now: Instant) {
        guard presences.until(key, at: now) == nil else { return }
        for card in cardKeys(of: key) {
            if let known = cards[card], known.mailbox != nil, known.stage.word == .active || known.tries == 0 {
                cards[card]?.mailbox?.dueAt = max(now.wall, known.passingUntil)
            }
            let rung = cards[card]?.rung ?? []
            for id in cards[card]?.seen ?? [] where cards[card]?.rings[id] != nil && !rung.contains(id) {
                cards[card]?.rings[id] = now.wall
            }
            cards[card]?.seen = []
            serve(card, at: now)
            serveRings(card, at: now)
        }
    }

    /// Time before a phone rings: the request may be decided on another screen first.
    func grace(of key: CardKey, at now: Instant) -> Int64 {
        presences.isAnybodyThere(in: key.workspace, at: now) ? PushPolicy.grace : 0
    }
}
