import RelayModel
import RelayProtocol

/// Approvals and questions: each rings, and again at the configured times, until it is settled.
extension PushPlanner {
    /// Finds new reasons to ring in this session, and those that are settled. Returns true if any was settled.
    mutating func lookForRings(_ key: CardKey, _ view: SessionView, at now: Instant) -> Bool {
        guard var card = cards[key] else { return false }
        let pending = view.approvals.pending
        let names = Set(pending.map(\.id))
        for approval in pending where card.rings[approval.id] == nil && wants(approval, of: view, key) {
            guard card.rung.contains(approval.id) else {
                card.rings[approval.id] = now.wall + grace(of: key, at: now)
                continue
            }
            let rung = card.rungAt[approval.id] ?? Card.Rung(at: now.wall, times: 1)
            card.rungAt[approval.id] = rung
            card.rings[approval.id] = rung.next(settings).map { max($0, now.wall) }
        }
        let gone = card.rings.keys.filter { !names.contains($0) }.sorted { $0.rawValue < $1.rawValue }
        for approval in gone { card.rings[approval] = nil }
        card.seen.formIntersection(names)
        let settled = card.rung.subtracting(names)
        let counted = settled.filter { card.isCounted($0) }
        if !settled.isEmpty { card.rung.subtract(settled) }
        if !card.rungAt.keys.allSatisfy(names.contains) { card.rungAt = card.rungAt.filter { names.contains($0.key) } }
        cards[key] = card
        noteAsking(key)
        for approval in gone { withdrawRings(for: approval, key) }
        for approval in settled.sorted(by: { $0.rawValue < $1.rawValue }) {
            settle(approval, key, view, wasCounted: counted.contains(approval), at: now)
        }
        if !settled.isEmpty { stageRecord(of: key) }
        lookAtRun(key, view, at: now)
        lookAtRules(key, view, at: now)
        serveRings(key, at: now)
        return !gone.isEmpty || !settled.isEmpty
    }

    private mutating func noteAsking(_ key: CardKey) {
        guard let session = key.session, let card = cards[key] else { return }
        if !card.rings.isEmpty || !card.rung.isEmpty {
            devices[key.device]?.askingSessions.insert(session)
        } else if devices[key.device]?.askingSessions.contains(session) == true {
            devices[key.device]?.askingSessions.remove(session)
        }
    }

    private mutating func lookAtRun(_ key: CardKey, _ view: SessionView, at now: Instant) {
        guard var card = cards[key] else { return }
        let summary = view.state.summary
        if summary.isAtWork, card.workBeganAt == nil {
            card.workBeganAt = now.wall
            cards[key] = card
            stageRecord(of: key)
        } else if !summary.isAtWork, let began = card.workBeganAt {
            card.workBeganAt = nil
            cards[key] = card
            stageRecord(of: key)
            let isLong = now.wall - began >= PushPolicy.finishedMin
            if summary.status == .failed {
                ring(.error, key, view, at: now)
            } else if isLong, summary.status == .idle || summary.status == .completed {
                ring(.finished, key, view, at: now)
            }
        }
        if let error = summary.error, error != cards[key]?.errorRung {
            cards[key]?.errorRung = error
            stageRecord(of: key)
            if summary.status != .failed { ring(.error, key, view, at: now) }
        } else if summary.error == nil, cards[key]?.errorRung != nil {
            cards[key]?.errorRung = nil
            stageRecord(of: key)
        }
    }

    /// Counts the calls that rules answered since the last look for the device's digest, if its person wants that.
    private mutating func lookAtRules(_ key: CardKey, _ view: SessionView, at now: Instant) {
        guard let card = cards[key], let device = devices[key.device]?.device else { return }
        let summary = view.state.summary
        let isMuted = device.isMuted(summary.session, of: summary.hostProject)
        let answered = device.countsRules && device.gathering != nil && !isMuted ? summary.ruleAnswers : nil
        guard answered != card.ruleAnswers else { return }
        cards[key]?.ruleAnswers = answered
        stageRecord(of: key)
        guard let answered, let counted = card.ruleAnswers, answered > counted else { return }
        devices[key.device]?.alerts.deferRuleAnswers(answered - counted, at: now.wall)
        stageRecord(of: key.device)
        armDigest(of: key.device, at: now)
    }

    // MARK: - Approvals and questions

    mutating func saw(_ approval: ApprovalID, in key: SessionKey, _ peer: PeerID) {
        guard let device = presences.device(of: peer), sight.isPending(approval, in: key) else { return }
        let card = CardKey(device: DeviceKey(workspace: key.workspace, device: device), session: key.session)
        cards[card]?.seen.insert(approval)
    }

    /// Rings for approvals that are due, and arms the timer for the next.
    mutating func serveRings(_ key: CardKey, at now: Instant) {
        guard let session = key.session, let rings = cards[key]?.rings else { return }
        let timer = PlannerTimer.rings(key.workspace, key.device.device, session)
        if let device = devices[key.device], callsByCard(device) {
            if !rings.isEmpty { orders.append(.cancelTimer(timer)) }
            return serve(CardKey(device: key.device, session: device.device.cards == .aggregate ? nil : session), at: now)
        }
        for (id, due) in rings.sorted(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }) where due <= now.wall {
            // An earlier one in this loop may have rung for it, too.
            if cards[key]?.rings[id] == due { ringOrWait(for: id, key, at: now) }
        }
        if let next = cards[key]?.rings.values.min() {
            orders.append(.armTimer(timer, after: max(1, next - now.wall)))
        } else if !rings.isEmpty {
            orders.append(.cancelTimer(timer))
        }
    }

    private mutating func ringOrWait(for id: ApprovalID, _ key: CardKey, at now: Instant) {
        guard let device = devices[key.device], let session = key.sessionKey, let view = sight.sessions[session],
            let approval = view.approvals[id], approval.stage == .pending
        else {
            cards[key]?.rings[id] = nil
            return
        }
        let kind = approval.alertKind
        // If it is wanted again later, by a changed choice or token, the next look finds it.
        guard wants(approval, of: view, key), !sight.isOver(approval, in: session, at: now) else {
            cards[key]?.rings[id] = nil
            return
        }
        // The request is on the very screen that would ring; it rings when the person looks away.
        if let until = presences.until(key.device, at: now), cards[key]?.seen.contains(id) == true {
            cards[key]?.rings[id] = until + 1
            return
        }
        if let end = device.quietUntil(approval, now.wall, settings) {
            cards[key]?.rings[id] = end
            return
        }
        // A ring is without an outcome, possibly by a card from before the device had a token for alerts. That decides whether to
        // ring again.
        if isBeingCalled(id, key) || isRinging(for: id, key) {
            cards[key]?.rings[id] = now.wall + PushPolicy.retryInterval
            return
        }
        guard hasPlace(id, key, at: now) else { return ringWithOthers(for: id, key, at: now) }
        guard let app = settings.app(of: device.device) else { return }
        var subject = PushSubject(view, for: device, app, at: now.wall)
        subject.approval = approval
        let alert = Alert(
            kind: kind, text: text(kind, subject, app), cover: cover(kind, subject), level: .timeSensitive,
            thread: session.session.rawValue, replaces: approval.replaces, session: session.session, approval: approval,
            worthUntil: worth(of: id, key, device, at: now))
        guard planAlert(alert, to: key.device, at: now) != nil else {
            return waitForRoom(toRingFor: id, key, at: now)
        }
        let wasCounted = cards[key]?.isCounted(id) == true
        cards[key]?.rang(for: id, at: now.wall, settings)
        stageRecord(of: key)
        if wasCounted { serveOverflow(of: key.device, at: now) }
    }

    mutating func waitForRoom(toRingFor id: ApprovalID, _ key: CardKey, at now: Instant) {
        cards[key]?.rings[id] = now.wall + PushPolicy.retryInterval
        if !pushes.hasRoom(for: key.device) { crowd.add(.ring(key, id), of: key.device) }
    }

    func isRinging(for id: ApprovalID, _ key: CardKey) -> Bool {
        guard cards[key]?.rung.contains(id) == true, let session = key.session else { return false }
        return pushes.rings(for: CallName(session: session, approval: id), on: key.device).contains { $0.outcome == nil }
    }

    /// Time until which the service keeps it for an offline device: the next ring, if a later push could not replace it there once
    /// it is settled.
    private func worth(of id: ApprovalID, _ key: CardKey, _ device: RegisteredDevice, at now: Instant) -> Int64 {
        worth(ofRing: (cards[key]?.rungAt[id]?.times ?? 0) + 1, device, at: now)
    }

    func worth(ofRing times: Int64, _ device: RegisteredDevice, at now: Instant) -> Int64 {
        if settings.channel(of: device.device)?.takesBack(on: device.device) == true { return .max }
        return settings.reminder(afterRing: times, at: now.wall) ?? now.wall + PushPolicy.alertAge
    }

    /// Settles an approval that rang. A push that may still ring is withdrawn; its outcome shows whether a notification has to be
    /// replaced.
    private mutating func settle(
        _ id: ApprovalID, _ key: CardKey, _ view: SessionView, wasCounted: Bool, at now: Instant
    ) {
        guard !withdrawRings(for: id, key), let approval = view.approvals[id], let session = key.session else { return }
        let rings = pushes.rings(for: CallName(session: session, approval: id), on: key.device).filter { !$0.isOfOverflow }
        // Earlier pushes may have been forgotten.
        guard rings.isEmpty && !wasCounted || rings.contains(where: { $0.outcome?.mayBeHeard == true }) else { return }
        takeBack(approval, key, view, at: now)
    }

    /// Withdraws the pushes for an approval. Returns true if one for this approval alone had no outcome yet.
    @discardableResult
    private mutating func withdrawRings(for id: ApprovalID, _ key: CardKey) -> Bool {
        guard let session = key.session else { return false }
        let open = pushes.rings(for: CallName(session: session, approval: id), on: key.device).filter { $0.outcome == nil }
        // The start of a card is needed anyway.
        for ring in open where ring.intent.purpose != .start && (!ring.isOfOverflow || isSettled(ring)) {
            withdraw(ring.intent.id)
        }
        return open.contains { !$0.isOfOverflow }
    }

    /// Rings again for pending approvals after the device's address has changed, if they rang at the old one only.
    mutating func ringAnew(_ key: DeviceKey, at now: Instant) {
        guard let place = devices[key]?.device.address.alerts else { return }
        for card in cardKeys(of: key) {
            guard let session = card.session, let rung = cards[card]?.rung, !rung.isEmpty else { continue }
            for id in rung.sorted(by: { $0.rawValue < $1.rawValue }) {
                let rings = pushes.rings(for: CallName(session: session, approval: id), on: key)
                // If the journal has no push, it was forgotten; a card that rang is reported by its own app.
                let isHere = rings.contains { $0.intent.purpose != .alert || $0.intent.target == .device(token: place) }
                let isCounted = cards[card]?.isCounted(id) == true
                if !rings.isEmpty || isCounted, !isHere { cards[card]?.ringAgain(for: id, at: now.wall) }
            }
            if cards[card]?.rung != rung { stageRecord(of: card) }
        }
    }

    mutating func ringAnswered(_ planned: PlannedPush, _ name: CallName, _ outcome: PushOutcome, at now: Instant) {
        let key = CardKey(device: planned.key, session: name.session)
        guard let session = key.sessionKey, let view = sight.sessions[session], let approval = view.approvals[name.approval]
        else { return }
        if approval.stage != .pending {
            // If it still counts as rung, it will be settled later.
            if outcome.mayBeHeard, cards[key]?.rung.contains(name.approval) == false { takeBack(approval, key, view, at: now) }
            return
        }
        // The push was retried as long as it was worth it, or its token has changed; the request still waits. Should it have been
        // delivered, both are one notification.
        guard outcome.isToRepeat, !hasLaterRing(name, than: planned) else { return }
        ringAgain(for: name.approval, key, after: isToldSince(planned) ? 0 : PushPolicy.retryInterval, at: now)
    }

    /// True if the app has reported its address for alerts since: the outcome is about the earlier address.
    func isToldSince(_ planned: PlannedPush) -> Bool {
        devices[planned.key].map { $0.alertTokenAt > planned.intent.toldAt } ?? false
    }

    private mutating func ringAgain(for approval: ApprovalID, _ key: CardKey, after wait: Int64, at now: Instant) {
        guard cards[key]?.rung.contains(approval) == true else { return }
        cards[key]?.ringAgain(for: approval, at: now.wall + wait)
        stageRecord(of: key)
        serveRings(key, at: now)
    }

    /// Replaces the notification of a settled request with its outcome, without ringing again.
    private mutating func takeBack(_ approval: Approval, _ key: CardKey, _ view: SessionView, at now: Instant) {
        guard let device = devices[key.device], let session = key.session,
            let app = settings.app(of: device.device), device.device.address.alerts != nil, wants(approval, of: view, key),
            settings.channel(of: device.device)?.takesBack(on: device.device) == true
        else {
            return
        }
        // Not needed if the person decided on this device, or is looking at it.
        guard approval.decision?.client != device.client.id, presences.until(key.device, at: now) == nil else { return }
        let subject = PushSubject(view, for: device, app, at: now.wall)
        let alert = OwedAlert(
            approval.alertKind, words(on: subject, app) { .settled(approval, $0, textMax: $1) },
            cover: .settled(approval, subject, textMax: .generic), chosen: subject.text, level: .passive,
            thread: session.rawValue, replaces: approval.replaces, session: session, at: now.wall)
        owe(alert, to: key.device, at: now)
    }
}

extension Approval {
    var alertKind: AlertKind { request.kind == .question ? .question : .approval }
    /// Name of the notification. An alert replaces an earlier one of the same name.
    fileprivate var replaces: String { "\(session).\(id)" }
}
