package import RelayProtocol

/// What the planner knows of a device, for whoever checks it.
package struct KnownDevice: Sendable {
    package struct KnownCard: Sendable {
        /// Nil: the aggregate card.
        package var session: SessionID?
        package var id: CardID?
        package var token: String?
        package var channel: String?
        package var isActive: Bool
    }

    package var device: Device
    package var client: ClientID
    package var cards: [KnownCard]
}

/// A broadcast channel that APNs has not deleted, as far as the planner knows.
package struct KnownChannel: Sendable {
    package var name: String
    /// It is to be deleted.
    package var isOver: Bool
}

extension Relay {
    package var knownChannels: [KnownChannel] {
        push.channels.values.map { KnownChannel(name: $0.name, isOver: $0.isOver) }
    }

    package var lastPush: PushID { push.lastPushID }

    /// What was planned after this one and is still kept, in order.
    package func pushesPlanned(after last: PushID) -> [PushOrder] {
        guard last < lastPush else { return [] }
        return (last.rawValue + 1...push.lastPush).compactMap { push.pushes[PushID(rawValue: $0)]?.order }
    }

    /// The approvals for which this push of a card rings.
    package func approvalsCalled(by push: PushID) -> [ApprovalID] { self.push.pushes[push]?.calls.map(\.approval) ?? [] }

    package var knownDevices: [KnownDevice] {
        push.devices.sorted { $0.key < $1.key }.map { key, known in
            let cards = push.cards.filter { $0.key.device == key }.sorted { $0.key < $1.key }
            return KnownDevice(
                device: known.device, client: known.client.id,
                cards: cards.map { key, card in
                    KnownDevice.KnownCard(
                        session: key.session, id: card.id, token: card.token, channel: card.channel,
                        isActive: card.stage == .active)
                })
        }
    }

    /// Adds what the planner holds, and whether it is within its bounds.
    func count(into census: inout RelayCensus) {
        census.devices = push.devices.count
        census.cards = push.cards.count
        census.pushes = push.pushes.count
        census.channels = push.channels.count
        census.rings = push.cards.values.reduce(0) { $0 + $1.rings.count }
        census.owed = push.owed.count
        if push.devices.count > push.devicesOf.keys.count * Limits.devicesMax { census.breach = "too many devices are kept" }
        for key in push.cards.keys {
            if push.devices[key.device] == nil { census.breach = "a card is kept whose device is forgotten" }
            if isOver(key) { census.breach = "a card is kept whose session is gone" }
        }
        for (key, ids) in push.pushesOf {
            if push.devices[key] == nil, ids.contains(where: { push.pushes[$0]?.outlivesDevice != true }) {
                census.breach = "pushes are kept whose device is forgotten"
            }
            if ids.count > 2 * Limits.pushesKept + Limits.unansweredPushesMax { census.breach = "too many pushes are kept" }
        }
        if push.pushesOf.values.reduce(0, { $0 + $1.count }) != push.pushes.count { census.breach = "a push is nobody's" }
        if push.devices.values.contains(where: { $0.owed.count > Limits.owedAlertsMax + Limits.unansweredPushesMax }) {
            census.breach = "too many alerts are owed"
        }
        let inFlight = push.cards.values.compactMap(\.inFlight)
        if inFlight.contains(where: { push.pushes[$0] == nil }) { census.breach = "a card waits for a push that is forgotten" }
        let used = Set(push.cards.values.compactMap(\.channel))
        for channel in push.channels.values where channel.isOver == used.contains(channel.name) {
            census.breach = "a channel is kept that nobody listens to, or deleted where somebody does"
        }
        for card in push.cards.values where card.channel != nil && (card.stage == .none || card.stage == .ended) {
            let isUsed = card.mailbox != nil || card.inFlight != nil || card.isEndOwed
            if !isUsed { census.breach = "a channel is kept for a card that is over" }
        }
        let peers = push.presentPeers.values.reduce(into: Set()) { $0.formUnion($1) }
            .union(push.foregroundPeers.values.reduce(into: Set()) { $0.formUnion($1) })
            .union(push.watchers.values.reduce(into: Set()) { $0.formUnion($1) })
        if !peers.isSubset(of: clients.keys) { census.breach = "somebody is thought to look who has left" }
        // One record of each name, and the removals of pushes that were forgotten meanwhile.
        if push.owed.count > push.devices.count + push.cards.count + push.channels.count + 2 * push.pushes.count
            + Limits.pushesKept
        {
            census.breach = "too many records wait for the disk"
        }
    }
}
