import RelayModel
import RelayProtocol

/// Consequences of a person's looking at a screen, and turning away.
extension PushPlanner {
    mutating func setPresence(_ isForeground: Bool, _ device: DeviceID?, _ request: ClientRequest, at now: Instant) {
        // A connection speaks for a device of its own client only.
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

    /// Alerts kept from the device while a person looked at it are due now.
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

    /// A question may be decided on another screen before a phone need ring.
    func grace(of key: CardKey, at now: Instant) -> Int64 {
        presences.isAnybodyThere(in: key.workspace, at: now) ? PushPolicy.grace : 0
    }
}
