import RelayModel
import RelayProtocol

/// Reasons why pushes do not arrive, and the consequences once they are settled.
extension PushPlanner {
    mutating func wayChanged(at now: Instant) {
        for key in devices.keys {
            forgetFailures(of: key, at: now)
            lookAtEverything(of: key, at: now)
            for card in cardKeys(of: key) { serve(card, at: now) }
        }
    }

    /// Makes failed pushes due again: the reason for the failure may be gone.
    mutating func forgetFailures(of key: DeviceKey, at now: Instant) {
        devices[key]?.alerts.forgetFailures()
        hastenRings(of: key, at: now)
        for card in cards.keys where card.device == key {
            guard cards[card]?.tries ?? 0 > 0 else { continue }
            cards[card]?.tries = 0
            cards[card]?.mailbox?.dueAt = now.wall
        }
    }

    /// Makes rings due that were held back for quiet hours or for a person who looks.
    mutating func hastenRings(of key: DeviceKey, at now: Instant) {
        for card in cards.keys where card.device == key {
            let soon = now.wall + grace(of: card, at: now)
            cards[card]?.hastenRings(to: soon, settings)
        }
    }

    mutating func learn(from planned: PlannedPush, _ outcome: PushOutcome) {
        guard let channel = settings.channels[planned.intent.service] else { return }
        if devices[planned.key]?.learn(from: planned.intent, outcome, channel) == true { stageRecord(of: planned.key) }
    }
}
