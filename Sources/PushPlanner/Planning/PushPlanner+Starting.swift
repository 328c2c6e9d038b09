import RelayModel
import RelayProtocol

/// Continuing after a start of the relay, or a change of the wall clock.
extension PushPlanner {
    /// Continues pushes without an outcome, which may have been sent: harmless ones are repeated, the others get the outcome
    /// `unknown`.
    mutating func resume(at now: Instant, holders: Set<ClientKey>?) {
        clockOffset = now.wall - now.uptime
        // An older version recorded it only when a workspace was removed.
        keepLastNumber()
        devices.update { $0.limit(to: now.wall) }
        for key in cards.keys { cards[key]?.limit(to: now.wall) }
        for (key, card) in cards.all where !card.rung.isEmpty {
            if let session = key.session { devices[key.device]?.askingSessions.insert(session) }
        }
        // Counts the pushes that may have been sent today; those planned from here on count when sent.
        for planned in pushes.ids.compactMap({ pushes[$0] }) where planned.outcome?.mayBeHeard ?? true {
            allowance.count(planned.intent, at: now.wall)
        }
        let unanswered = pushes.unanswered
        for planned in unanswered {
            if let card = planned.card { cards[card]?.inFlight = planned.intent.id }
            if case .deleteChannel(let name) = planned.intent.target { channels.deletionBegan(name, with: planned.intent.id) }
        }
        forgetOrphans(at: now)
        if let holders { forgetDevices(allBut: holders, at: now) }
        // First of all: alerts have to be numbered before any outcome can be matched.
        resumeAlerts()
        settleSharedAddresses(at: now)
        for id in unanswered.map(\.intent.id) {
            guard let planned = pushes[id], planned.outcome == nil else { continue }
            if planned.intent.isHarmlessToRepeat, planned.intent.worthUntil > now.wall, !isForNobody(planned) {
                order(planned.intent)
            } else {
                pushAnswered(id, .unknown("the relay ended before it had an answer"), at: now)
            }
        }
        resumeChannels(at: now)
        for key in devices.keys {
            lookAtEverything(of: key, at: now)
            armWeekly(of: key, at: now)
        }
        // Cards of sessions that were removed by the last commit before the relay ended.
        for key in cards.keys.sorted() where key.sessionKey.map({ sight.sessions[$0] == nil }) == true {
            serve(key, at: now)
        }
    }

    /// True if the push is obsolete: its card was dismissed, its request is settled, or the phone has become another device.
    private func isForNobody(_ planned: PlannedPush) -> Bool {
        switch planned.intent.purpose {
        case .update, .end:
            guard let card = planned.card.flatMap({ cards[$0] }) else { return false }
            return card.stage.word == .ended && !card.isEndOwed || isSettled(planned)
        case .alert: return devices[planned.key]?.device.address.alerts == nil || isSettled(planned)
        case .start: return devices[planned.key]?.device.address.starts == nil
        case .channel: return false
        }
    }

    /// Removes records of devices that were forgotten by the last commit before the relay ended, or that do not decode. Their
    /// notifications may still be on phones.
    private mutating func forgetOrphans(at now: Instant) {
        for key in cards.keys.sorted() where devices[key.device] == nil { forgetCard(key, at: now) }
        for key in pushes.keys where devices[key] == nil { forgetPushes(of: key) }
    }

    /// Moves all deadlines with the wall clock when that is set, so that nothing is due sooner or later than planned.
    mutating func followClock(at now: Instant) {
        let offset = now.wall - now.uptime
        let jump = offset - clockOffset
        clockOffset = offset
        devices.update { $0.move(by: jump) }
        channels.move(by: jump)
        for key in cards.keys.sorted() {
            guard var card = cards[key] else { continue }
            card.move(by: jump)
            // Quiet hours depend on the clock itself, so rings are due again, after a grace in which connected clients can report a
            // presence.
            if devices[key.device]?.device.quiet != nil {
                card.hastenRings(to: now.wall + PushPolicy.grace, settings)
            }
            cards[key] = card
            // Staged at once: after a restart the card would otherwise seem years old and get no updates, or its last ring long
            // past.
            if !card.stage.isAbsent || card.isEndOwed || !card.rungAt.isEmpty { stageRecord(of: key) }
            serveRings(key, at: now)
        }
        for key in devices.keys {
            // Otherwise the starts of the last hour would not count after a restart.
            stageRecord(of: key)
            serveAlerts(of: key, at: now)
            armWeekly(of: key, at: now)
        }
    }
}
