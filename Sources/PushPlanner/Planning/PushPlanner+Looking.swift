import RelayModel
import RelayProtocol

/// Derives what to show and what to ring for from the current state, after every change.
extension PushPlanner {
    /// Looks at everything that concerns this device.
    mutating func lookAtEverything(of device: DeviceKey, at now: Instant) {
        for key in sight.sessions.views.keys.filter({ $0.workspace == device.workspace }).sorted() {
            _ = look(at: key, for: device, at: now)
        }
        lookAtAggregate(for: device, at: now)
        serveAlerts(of: device, at: now)
        if devices[device]?.overflow.told != nil { serveOverflow(of: device, at: now) }
    }

    /// Looks at the current state of these sessions, for every device.
    mutating func look(at keys: [SessionKey], at now: Instant) {
        var settled: Set<DeviceKey> = []
        for key in keys {
            for device in devices.keys(in: key.workspace) where look(at: key, for: device, at: now) {
                settled.insert(device)
            }
        }
        // Once for everything that was settled together, because each count looks at all requests.
        for device in settled.sorted() where devices[device]?.overflow.told != nil { serveOverflow(of: device, at: now) }
        for workspace in Set(keys.map(\.workspace)).sorted(by: { $0.rawValue < $1.rawValue }) {
            for device in devices.keys(in: workspace) { lookAtAggregate(for: device, at: now) }
        }
    }

    /// Returns true if something that rang, or was to ring, is settled.
    private mutating func look(at key: SessionKey, for device: DeviceKey, at now: Instant) -> Bool {
        guard let view = sight.sessions[key], devices[device] != nil else { return false }
        let card = CardKey(device: device, session: key.session)
        // A session that has ended and was never shown here needs no card.
        if cards[card] == nil {
            guard view.state.summary.isLive else { return false }
            cards[card] = Card()
        }
        let isSettled = lookForRings(card, view, at: now)
        lookAtCard(card, at: now)
        return isSettled
    }

    /// Keeps the cards of a session that retention removed until they have been ended.
    mutating func leaveCards(of key: SessionKey, at now: Instant) {
        for device in devices.keys(in: key.workspace) {
            let card = CardKey(device: device, session: key.session)
            guard cards[card] != nil else { continue }
            cards[card]?.rung = []
            cards[card]?.rungAt = [:]
            cards[card]?.seen = []
            stageRecord(of: card)
            serveRings(card, at: now)
            serve(card, at: now)
            if devices[device]?.overflow.told != nil { serveOverflow(of: device, at: now) }
        }
    }

    mutating func forgetCard(_ key: CardKey, at now: Instant) {
        guard var card = cards.remove(key) else { return }
        if let session = key.session { devices[key.device]?.askingSessions.remove(session) }
        if devices[key.device]?.forgets(card) == true { stageRecord(of: key.device) }
        letGoOfChannel(of: &card, at: now)
        orders.append(.cancelTimer(.card(key.workspace, key.device.device, key.session)))
        if !card.rings.isEmpty, let session = key.session {
            orders.append(.cancelTimer(.rings(key.workspace, key.device.device, session)))
        }
        stage(PushRecord(workspace: key.workspace, kind: .card, name: key.name, bytes: nil))
    }
}
