import RelayModel
import RelayProtocol

/// Starts of cards by push: one at a time for a session, because a card whose app has reported no token cannot be ended.
extension PushPlanner {
    mutating func startIfDue(_ key: CardKey, at now: Instant) {
        // A change in between does not delay the state that waits.
        guard let mailbox = cards[key]?.mailbox, mailbox.dueAt <= now.wall else { return }
        guard let device = devices[key.device], let token = device.device.address.starts, let app = cardApp(of: key),
            let subject = subject(of: key, at: now.wall)
        else {
            cards[key]?.mailbox = nil
            return
        }
        // After the person swiped the last one away, another is started only when a request waits for them.
        let isUnwanted = cards[key]?.state == .dismissed && subject.waiting.isEmpty
        guard subject.summary.isAtWork, wantsStart(device, subject), !isUnwanted,
            key.session.map({ !device.device.isMuted($0, of: subject.summary.hostProject) }) ?? true
        else {
            cards[key]?.mailbox = nil
            return
        }
        if let time = startIsPutOff(key, device, app, at: now) {
            postpone(key, to: time, at: now)
            let due = cards[key]?.mailbox?.dueAt
            cards[key]?.putOffUntil = due
            return
        }
        if usesChannel(device, app), cards[key]?.channel == nil { return planChannel(for: key, device, app, at: now) }
        planStart(of: key, device, token, subject, app, at: now)
    }

    /// End of the time for which the card's session is muted; nil if it is not, or something else waits in it by now.
    private func silentUntil(_ key: CardKey, _ device: RegisteredDevice, at now: Instant) -> Int64? {
        guard let session = key.session, let until = device.device.silentUntil(session, at: now.wall) else { return nil }
        guard let name = key.sessionKey, let view = sight.sessions[name] else { return until }
        let isSilent = view.approvals.pending.allSatisfy { device.device.silentUntil(session, $0.id, at: now.wall) != nil }
        return isSilent ? until : nil
    }

    /// The time until which a start has to wait; nil if nothing blocks it.
    private func startIsPutOff(_ key: CardKey, _ device: RegisteredDevice, _ app: CardApp, at now: Instant) -> Int64? {
        if let until = presences.until(key.device, at: now) { return until }
        if let until = device.quietUntil(now.wall, settings) {
            // A card that rings for an approval with risks is started in quiet hours, too.
            let due = calls(by: key, at: now).first.map { min($0.dueAt, until) } ?? until
            if due > now.wall { return due }
        }
        if let until = silentUntil(key, device, at: now) { return until }
        if device.startPendingUntil > now.wall { return device.startPendingUntil }
        if cards[key]?.channel == nil, let other = cardWithChannelToStart(on: key.device, besides: key) {
            return max(cards[other]?.mailbox?.dueAt ?? 0, now.wall + PushPolicy.retryInterval)
        }
        let isFull = cardsShown(on: key.device, besides: key, at: now) >= app.cards.countMax
        guard !isFull, pushes.hasRoom(for: key.device) else { return now.wall + PushPolicy.retryInterval }
        let recent = recentStarts(device, at: now)
        return recent.count < PushPolicy.startsMax ? nil : (recent.min() ?? now.wall) + PushPolicy.startWindow
    }

    /// The other card that has a channel or has requested one. It starts first, so that only one channel is made at a time.
    private func cardWithChannelToStart(on device: DeviceKey, besides key: CardKey) -> CardKey? {
        cards.keys.filter { other in
            guard other.device == device, other != key, let card = cards[other], card.stage.isAbsent, !card.isEndOwed else {
                return false
            }
            return card.channel != nil || card.inFlight.map { pushes[$0]?.intent.target == .makeChannel } == true
        }.min()
    }

    private func recentStarts(_ device: RegisteredDevice, at now: Instant) -> [Int64] {
        device.starts.filter { $0 > now.wall - PushPolicy.startWindow && $0 <= now.wall }
    }

    /// Number of cards on the device's screen. The system shows a limited number of an app's cards, and silently drops a start
    /// beyond it.
    private func cardsShown(on device: DeviceKey, besides key: CardKey, at now: Instant) -> Int {
        cards.all.count { other, card in
            other.device == device && other != key && !card.stage.isAbsent && !isGone(card, at: now)
        }
    }

    private mutating func planStart(
        of key: CardKey, _ device: RegisteredDevice, _ token: String, _ subject: PushSubject, _ app: CardApp,
        at now: Instant
    ) {
        let recent = recentStarts(device, at: now)
        devices[key.device]?.starts = recent + [now.wall]
        devices[key.device]?.startPendingUntil = now.wall + PushPolicy.startPatience
        stageRecord(of: key.device)
        let calls = dueCalls(by: key, at: now)
        var card = cards[key] ?? Card()
        card.stage.becomeStarting()
        card.id = nil
        card.startedAt = now.wall
        card.timestamp = max(now.wall / 1_000, card.timestamp + 1)
        card.mailbox = nil
        card.showsAttention = subject.isAttention
        cards[key] = card
        var intent = intent(.start, key, device, app, .device(token: token), at: now)
        intent.worthUntil = now.wall + PushPolicy.startPatience
        intent.replaces = key.session?.rawValue ?? "all"
        intent.toldAt = device.startTokenAt
        let words = AlertText.start(subject, textMax: app.app.textMax, bytesMax: Payload.startTextBytesMax)
        intent.payload = app.payload(
            CardContent(
                step: .start(listeningTo: card.channel), subject: subject, timestamp: card.timestamp,
                stale: stale(subject, app.cards, at: now), alert: words, rings: !calls.isEmpty, isBroadcast: false),
            on: device.device)
        plan(PlannedPush(intent, card: key, calls: calls))
        stageRecord(of: key)
    }

    private func wantsStart(_ device: RegisteredDevice, _ subject: PushSubject) -> Bool {
        switch device.device.starts {
        case .never: false
        case .whenNeeded: !subject.waiting.isEmpty
        case .always: true
        }
    }

    mutating func postpone(_ key: CardKey, to time: Int64, at now: Instant) {
        guard var card = cards[key] else { return }
        card.mailbox = Card.Mailbox(
            urgency: card.mailbox?.urgency ?? .small, dueAt: max(time, now.wall + 1), since: card.mailbox?.since ?? now.wall)
        cards[key] = card
    }

    /// The app has not reported the requested card. A card with a channel can be reached all the same. Any other may be on the
    /// screen without a way to end it, so no second is started while the system may show it, and an alert reports the run.
    ///
    /// Returns true if the card has to be looked at again.
    mutating func startWentUnanswered(_ key: CardKey, at now: Instant) -> Bool {
        guard var card = cards[key] else { return false }
        let isNew = card.stage != .unanswered
        if card.channel != nil {
            card.becomeActive()
        } else if isGone(card, at: now) {
            card.stage.becomeNone()
        } else {
            card.stage.becomeUnanswered()
            card.mailbox = nil
        }
        cards[key] = card
        stageRecord(of: key)
        guard card.stage.word == .starting else { return true }
        // A request to the person has rung by itself.
        if isNew, subject(of: key, at: now.wall)?.waiting.isEmpty == true {
            tellOfRun(key, at: now) { .unfollowed($0, textMax: $1) }
        }
        return false
    }
}
