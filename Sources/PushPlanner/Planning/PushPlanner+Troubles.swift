import RelayModel
import RelayProtocol

/// Why pushes do not arrive, as far as their answers say, and what follows when that is mended.
extension PushPlanner {
    mutating func wayChanged(at now: Instant) {
        for key in devices.keys {
            forgetFailures(of: key, at: now)
            lookAtEverything(of: key, at: now)
            for card in cardKeys(of: key) { serve(card, at: now) }
        }
    }

    /// What waits for its next try is due: the last failed for a reason that may be gone.
    mutating func forgetFailures(of key: DeviceKey, at now: Instant) {
        devices[key]?.alerts.forgetFailures()
        hastenRings(of: key, at: now)
        for card in cards.keys where card.device == key {
            guard cards[card]?.tries ?? 0 > 0 else { continue }
            cards[card]?.tries = 0
            cards[card]?.mailbox?.dueAt = now.wall
        }
    }

    /// What is held back for quiet hours, or for a person who looks, is again when it is due.
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
