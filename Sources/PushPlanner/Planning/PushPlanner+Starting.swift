import RelayModel
import RelayProtocol

/// A new life of the relay, and a clock that was set: what was planned goes on.
extension PushPlanner {
    /// Pushes without an answer may have been sent: what is harmless to repeat is, the rest has an outcome that nobody knows.
    mutating func resume(at now: Instant, holders: Set<ClientKey>?) {
        clockOffset = now.wall - now.uptime
        // A version before this one kept it only when a workspace was removed.
        keepLastNumber()
        devices.update { $0.limit(to: now.wall) }
        for key in cards.keys { cards[key]?.limit(to: now.wall) }
        for (key, card) in cards.all where !card.rung.isEmpty {
            if let session = key.session { devices[key.device]?.askingSessions.insert(session) }
        }
        // Pushes planned from here on are sent once they are on disk.
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
        // Before any of them is answered: until they are numbered, one alert cannot be told from another.
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
        // Cards of sessions that were removed with the last commit before the relay ended.
        for key in cards.keys.sorted() where key.sessionKey.map({ sight.sessions[$0] == nil }) == true {
            serve(key, at: now)
        }
    }

    /// The person has dismissed the card meanwhile: its channel may be without listeners. Or the phone has become another device.
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

    /// Removes the remains of devices that were forgotten with the last commit before the relay ended, or whose records do not decode:
    /// their notifications may still be there.
    private mutating func forgetOrphans(at now: Instant) {
        for key in cards.keys.sorted() where devices[key.device] == nil { forgetCard(key, at: now) }
        for key in pushes.keys where devices[key] == nil { forgetPushes(of: key) }
    }

    /// Where the wall clock is set, what the planner waits for moves with it: nothing comes sooner than it was meant to, or later.
    mutating func followClock(at now: Instant) {
        let offset = now.wall - now.uptime
        let jump = offset - clockOffset
        clockOffset = offset
        devices.update { $0.move(by: jump) }
        channels.move(by: jump)
        for key in cards.keys.sorted() {
            guard var card = cards[key] else { continue }
            card.move(by: jump)
            // Quiet hours are by the clock itself: looked at again, though no sooner than who is there can say so.
            if devices[key.device]?.device.quiet != nil {
                card.hastenRings(to: now.wall + PushPolicy.grace, settings)
            }
            cards[key] = card
            // Or a relay that ends now would leave the next one a card that is years old, and that nobody tells anything; and what rang just now
            // would have rung long ago.
            if !card.stage.isAbsent || card.isEndOwed || !card.rungAt.isEmpty { stageRecord(of: key) }
            serveRings(key, at: now)
        }
        for key in devices.keys {
            // Otherwise starts within the last hour would not count.
            stageRecord(of: key)
            serveAlerts(of: key, at: now)
            armWeekly(of: key, at: now)
        }
    }
}
