package import RelayModel
package import RelayProtocol

/// A census, for checks of the planner.
extension PushPlanner {
    package var knownChannels: [KnownChannel] { channels.all.map { KnownChannel(name: $0.name, isOver: $0.isOver) } }

    package var lastPush: PushID { pushes.last }

    /// Pushes after this one that are still kept, in order.
    package func pushesPlanned(after last: PushID) -> [PushIntent] {
        guard last < lastPush else { return [] }
        return pushes.ids.compactMap { $0 > last ? pushes[$0]?.intent : nil }
    }

    /// The approvals for which this push of a card rings.
    package func approvalsCalled(by push: PushID) -> [ApprovalID] { pushes[push]?.calls.map(\.approval) ?? [] }

    /// Every connection that the planner remembers.
    package var peers: Set<PeerID> { watchers.values.reduce(into: presences.peers) { $0.formUnion($1) } }

    package var knownDevices: [KnownDevice] {
        devices.keys.compactMap { key in
            guard let known = devices[key] else { return nil }
            let cards = cards.all.filter { $0.key.device == key }.sorted { $0.key < $1.key }
            return KnownDevice(
                device: known.device, client: known.client.id,
                cards: cards.map { key, card in
                    KnownDevice.KnownCard(
                        session: key.session, id: card.id, token: card.token, channel: card.channel,
                        isActive: card.stage.word == .active)
                },
                deferredSince: known.alerts.deferredSince)
        }
    }

    /// Counts of what the planner holds, and whether they are within its bounds.
    package func census(of sessions: CommittedSessions) -> PlannerCensus {
        var census = PlannerCensus()
        census.devices = devices.count
        census.cards = cards.count
        census.pushes = pushes.count
        census.channels = channels.count
        census.rings = cards.values.reduce(0) { $0 + $1.rings.count }
        census.owed = owed.count
        if !devices.isWithinBounds { census.breach = "too many devices are kept" }
        if !cards.isConsistent { census.breach = "what rang on a device is not what its cards say" }
        for key in cards.keys {
            if devices[key.device] == nil { census.breach = "a card is kept whose device is forgotten" }
            if isOver(key, in: sessions) { census.breach = "a card is kept whose session is gone" }
        }
        if let breach = pushes.breach(isKnown: { devices[$0] != nil }) { census.breach = breach }
        if devices.keys.contains(where: {
            devices[$0].map { $0.alerts.alerts.count > PlannerLimits.owedAlertsMax + PlannerLimits.unansweredPushesMax } == true
        }) {
            census.breach = "too many alerts are owed"
        }
        let inFlight = cards.values.compactMap(\.inFlight)
        if inFlight.contains(where: { pushes[$0] == nil }) { census.breach = "a card waits for a push that is forgotten" }
        let used = Set(cards.values.compactMap(\.channel))
        for channel in channels.all where channel.isOver == used.contains(channel.name) {
            census.breach = "a channel is kept that nobody listens to, or deleted where somebody does"
        }
        for card in cards.values where card.channel != nil && card.stage.isAbsent {
            let isUsed = card.mailbox != nil || card.inFlight != nil || card.isEndOwed
            if !isUsed { census.breach = "a channel is kept for a card that is over" }
        }
        // One record of each name, plus the removals of pushes forgotten since.
        if owed.count > devices.count + cards.count + channels.count + 2 * pushes.count + PlannerLimits.pushesKept {
            census.breach = "too many records wait for the disk"
        }
        return census
    }
}
