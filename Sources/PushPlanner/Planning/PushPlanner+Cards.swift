import RelayModel
import RelayProtocol

/// Cards: each has a mailbox in which the latest state waits for its time. Coalesced changes are sent in the end, a change of phase
/// is never dropped, and nothing follows an end.
extension PushPlanner {
    enum CardEnd {
        case completed, failed, cancelled
        /// The card is too old for the system although the session continues.
        case tooOld
        case idle
    }

    // MARK: - Looking

    /// Puts a changed state into the card's mailbox.
    mutating func lookAtCard(_ key: CardKey, at now: Instant) {
        guard var card = cards[key] else { return }
        // The last session has ended, and so does the card of all.
        guard let subject = subject(of: key, at: now.wall) else { return serve(key, at: now) }
        let phase = Card.Phase(
            status: subject.summary.status, waiting: subject.waiting, error: subject.summary.error,
            budgetLevel: subject.budgetLevel)
        let settle = phase.status == .stale ? PushPolicy.awaySettle : PushPolicy.settle
        let urgency = card.urgency(after: phase, isLive: subject.summary.isLive)
        let turn = card.turn(to: phase)
        card.look(at: phase, until: now.wall + PushPolicy.passing)
        card.put(urgency, turn, grace: grace(of: key, at: now), settle: settle, at: now.wall)
        cards[key] = card
        // A push that says the opposite is not worth another attempt.
        if turn != .none, let push = card.inFlight, pushes[push]?.intent.purpose == .update { withdraw(push) }
        serve(key, at: now)
    }

    /// A device's cards, sorted so that every run treats them in the same order.
    func cardKeys(of device: DeviceKey) -> [CardKey] { cards.keys.filter { $0.device == device }.sorted() }

    mutating func lookAtAggregate(for device: DeviceKey, at now: Instant) {
        let key = CardKey(device: device, session: nil)
        guard devices[device]?.device.cards == .aggregate || cards[key] != nil else { return }
        if cards[key] == nil { cards[key] = Card() }
        lookAtCard(key, at: now)
    }

    // MARK: - Serving

    /// Does what is due for a card, and arms its timer for the next. Idempotent.
    mutating func serve(_ key: CardKey, at now: Instant) {
        guard let card = cards[key], let device = devices[key.device] else { return }
        guard card.inFlight == nil else { return }
        let isWanted = isWanted(key, device)
        // A person who is looking at the app needs no push; it is due when they look away.
        let isSpared = presences.until(key.device, at: now) != nil
        switch card.stage.word {
        case .none, .ended:
            if card.isEndOwed {
                if !isSpared, card.mailbox.map({ $0.dueAt <= now.wall }) ?? true {
                    planEnd(of: key, isWanted ? end(of: key, card, device, at: now) ?? .completed : .cancelled, at: now)
                }
            } else if isWanted {
                startIfDue(key, at: now)
            } else {
                cards[key]?.mailbox = nil
            }
            letGoOfIdleChannel(key, at: now)
        case .starting:
            guard card.stage == .unanswered ? isGone(card, at: now) : device.startPendingUntil <= now.wall else { break }
            if startWentUnanswered(key, at: now) { return lookAtCard(key, at: now) }
        case .active:
            if isSpared { break }
            if !isWanted {
                planEnd(of: key, .cancelled, at: now)
            } else if let reason = end(of: key, card, device, at: now) {
                planEnd(of: key, reason, at: now)
                if reason == .tooOld { tellOfRun(key, at: now) { .stillRunning($0, textMax: $1) } }
            } else if card.canBePushed {
                updateIfDue(key, card, at: now)
            }
        }
        if isOver(key, in: sight.sessions) { forgetCard(key, at: now) } else { armCard(key, at: now) }
    }

    /// True if the card can be forgotten: retention removed its session, and it has been ended or cannot be.
    func isOver(_ key: CardKey, in sessions: CommittedSessions) -> Bool {
        guard let card = cards[key], let session = key.sessionKey, sessions[session] == nil,
            card.inFlight == nil
        else {
            return false
        }
        return cardApp(of: key) == nil || !card.isEndOwed && card.stage.isAbsent
    }

    private func isWanted(_ key: CardKey, _ device: RegisteredDevice) -> Bool {
        switch device.device.cards {
        case .perSession: key.session != nil
        case .aggregate: key.session == nil
        case .off: false
        }
    }

    /// Why the card ends now; nil if it does not.
    private func end(of key: CardKey, _ card: Card, _ device: RegisteredDevice, at now: Instant) -> CardEnd? {
        guard let app = cardApp(of: key) else { return .cancelled }
        // Retention removed the session, or the last of all has ended.
        guard let subject = subject(of: key, at: now.wall) else { return key.session == nil ? .completed : .cancelled }
        let summary = subject.summary
        if !summary.isLive { return summary.status == .failed ? .failed : .completed }
        if now.wall >= oldAt(card, app.cards) { return .tooOld }
        if summary.status == .idle, now.wall >= idleSince(subject, card) + PushPolicy.idleMax { return .idle }
        return nil
    }

    /// Age at which a card is ended: before the system's own limit, so that a retried end is still in time.
    private func oldAt(_ card: Card, _ cards: PushApp.Cards) -> Int64 {
        card.startedAt + min(cards.maximumAge, PushPolicy.systemAge - PushPolicy.endMargin)
    }

    /// True if the system must have removed it by now, whether it could be reached or not.
    func isGone(_ card: Card, at now: Instant) -> Bool { now.wall >= card.startedAt + PushPolicy.cardAge }

    /// Time since which the card has been idle. The start of a card counts as activity: a person in the app sees it that long.
    private func idleSince(_ subject: PushSubject, _ card: Card) -> Int64 {
        max(subject.summary.lastActivityAt, card.startedAt)
    }

    private mutating func updateIfDue(_ key: CardKey, _ card: Card, at now: Instant) {
        let isRefreshDue = refreshAt(key, card, at: now).map { $0 <= now.wall } ?? false
        let calls = dueCalls(by: key, at: now)
        guard card.mailbox.map({ $0.dueAt <= now.wall }) == true || isRefreshDue || !calls.isEmpty else { return }
        guard let app = cardApp(of: key), let subject = subject(of: key, at: now.wall), let device = devices[key.device] else {
            return
        }
        let face = digest(app.channel.face(of: subject.still, on: device.device, isBroadcast: card.channel != nil))
        guard face != card.face || isRefreshDue || !calls.isEmpty else {
            cards[key]?.mailbox = nil
            return
        }
        planUpdate(key, device, subject, app, face, calling: calls, at: now)
    }

    /// Time at which a card is sent its state again, so that it does not become stale.
    private func refreshAt(_ key: CardKey, _ card: Card, at now: Instant) -> Int64? {
        guard card.canBePushed, card.phase != nil, card.sentAt > 0, let app = cardApp(of: key),
            let subject = subject(of: key, at: now.wall), isStaleAfterWhile(subject)
        else { return nil }
        return card.sentAt + app.cards.staleAfter * Int64(PushPolicy.refreshShare.0) / PushPolicy.refreshShare.of
    }

    private mutating func armCard(_ key: CardKey, at now: Instant) {
        guard let card = cards[key], let device = devices[key.device] else { return }
        let timer = PlannerTimer.card(key.workspace, key.device.device, key.session)
        guard card.inFlight == nil else {
            orders.append(.cancelTimer(timer))
            return
        }
        var times: [Int64] = []
        let spared = presences.until(key.device, at: now) ?? 0
        switch card.stage.word {
        case .none, .ended:
            if card.isEndOwed {
                times.append(max(card.mailbox?.dueAt ?? now.wall, spared))
            } else if let due = card.mailbox?.dueAt {
                times.append(due)
            }
        case .starting: times.append(card.stage == .unanswered ? card.startedAt + PushPolicy.cardAge : device.startPendingUntil)
        case .active:
            if card.canBePushed {
                if let due = card.mailbox?.dueAt { times.append(max(due, spared)) }
                if let refresh = refreshAt(key, card, at: now) { times.append(max(refresh, spared)) }
                if let call = calls(by: key, at: now).map(\.dueAt).min() { times.append(max(call, spared)) }
            }
            if spared > 0, !isWanted(key, device) || end(of: key, card, device, at: now) != nil { times.append(spared) }
            if let app = cardApp(of: key) { times.append(max(oldAt(card, app.cards), spared)) }
            if card.phase?.status == .idle, let subject = subject(of: key, at: now.wall) {
                times.append(max(idleSince(subject, card) + PushPolicy.idleMax, spared))
            }
        }
        if let next = times.min() {
            orders.append(.armTimer(timer, after: max(1, next - now.wall)))
        } else {
            orders.append(.cancelTimer(timer))
        }
    }

    // MARK: - What a card says

    /// Nil if this device has no cards.
    func cardApp(of key: CardKey) -> CardApp? { devices[key.device].flatMap { settings.cardApp(of: $0.device) } }

    /// Nil if there is nothing to show: the session is gone, or none is live.
    func subject(of key: CardKey, at now: Int64) -> PushSubject? {
        guard let device = devices[key.device], let app = settings.app(of: device.device) else { return nil }
        if let session = key.sessionKey {
            return sight.sessions[session].map { PushSubject($0, for: device, app, at: now) }
        }
        let live = sight.sessions.live(in: key.workspace)
        guard let most = live.most,
            let view = sight.sessions[SessionKey(workspace: key.workspace, session: most)]
        else { return nil }
        var subject = PushSubject(view, for: device, app, at: now)
        subject.isOfAll = true
        subject.sessions = Int64(live.count)
        return subject
    }

    // MARK: - Planning

    private mutating func planUpdate(
        _ key: CardKey, _ device: RegisteredDevice, _ subject: PushSubject, _ app: CardApp, _ face: UInt64,
        calling calls: [CallName], at now: Instant
    ) {
        guard pushes.hasRoom(for: key.device) else {
            crowd.add(.card(key), of: key.device)
            return postpone(key, to: now.wall + PushPolicy.retryInterval, at: now)
        }
        guard var card = cards[key], let target = target(of: card) else { return }
        let urgency = calls.isEmpty ? card.mailbox?.urgency ?? .small : .waiting
        let isUrgent =
            urgency == .waiting || urgency == .phase && now.wall - card.urgentAt >= PushPolicy.urgentInterval
        let isTurnedAway = card.showsAttention && !subject.isAttention
        let isAtOnce = isUrgent && takeUrgent(key.device, for: .of(subject, isTurnedAway: isTurnedAway), at: now)
        card.showsAttention = subject.isAttention
        card.timestamp = max(now.wall / 1_000, card.timestamp + 1)
        card.sentAt = now.wall
        if isAtOnce { card.urgentAt = now.wall }
        if urgency == .waiting { card.waitingAt = now.wall }
        card.face = face
        card.mailbox = nil
        cards[key] = card
        var intent = intent(.update, key, device, app, target, at: now)
        intent.urgency = isAtOnce ? .atOnce : .whenConvenient
        // Only pushes about requests are kept: the service keeps one push per app, and a progress update would replace an approval.
        intent.isKept = urgency == .waiting
        intent.worthUntil = now.wall + (urgency == .waiting ? 3_600_000 : PushPolicy.progressWorth)
        intent.isHarmlessToRepeat = true
        intent.toldAt = card.tokenAt
        intent.payload = app.payload(
            CardContent(
                step: .update, subject: subject, timestamp: card.timestamp, stale: stale(subject, app.cards, at: now),
                alert: calls.first.flatMap { words(of: $0, on: key.device, app.app, at: now) }, rings: true,
                isBroadcast: card.channel != nil),
            on: device.device)
        plan(PlannedPush(intent, card: key, calls: calls))
        stageRecord(of: key)
    }

    /// Ends the card. From here on nothing is sent to it, except the same end again if the service did not accept it.
    mutating func planEnd(of key: CardKey, _ reason: CardEnd, at now: Instant) {
        guard var card = cards[key], let app = cardApp(of: key) else { return }
        guard let target = target(of: card), let device = devices[key.device] else {
            // Without a token only the system can end it. Until then it counts, so that no second one is started beside it.
            card.stage.becomeEnded(isOwed: !isGone(card, at: now))
            card.mailbox =
                card.isEndOwed
                ? Card.Mailbox(urgency: .small, dueAt: card.startedAt + PushPolicy.cardAge, since: now.wall) : nil
            cards[key] = card
            stageRecord(of: key)
            return
        }
        var subject =
            subject(of: key, at: now.wall)
            ?? PushSubject(ended: key.session, named: app.app.name, text: device.text(app.app), now: now.wall)
        if reason == .tooOld, subject.summary.isAtWork { subject.closing = app.cards.closingText?[subject.language] }
        if card.stage.word != .ended { card.timestamp = max(now.wall / 1_000, card.timestamp + 1) }
        card.stage.becomeEnded(isOwed: true)
        card.sentAt = now.wall
        card.mailbox = nil
        card.face = 0
        let isTurnedAway = card.showsAttention
        card.showsAttention = false
        cards[key] = card
        var intent = intent(.end, key, device, app, target, at: now)
        let isAtOnce = takeUrgent(key.device, for: .of(subject, isTurnedAway: isTurnedAway), at: now)
        intent.urgency = isAtOnce ? .atOnce : .whenConvenient
        intent.worthUntil = now.wall + 3_600_000
        intent.isHarmlessToRepeat = true
        intent.toldAt = card.tokenAt
        intent.payload = app.payload(
            CardContent(
                step: .end(dismissal: dismissal(reason, app.cards, at: now)), subject: subject, timestamp: card.timestamp,
                isBroadcast: card.channel != nil),
            on: device.device)
        plan(PlannedPush(intent, card: key))
        stageRecord(of: key)
    }

    private func dismissal(_ reason: CardEnd, _ cards: PushApp.Cards, at now: Instant) -> Int64 {
        let after: Int64 =
            switch reason {
            case .completed, .idle, .tooOld: cards.dismissal.completed
            case .failed: cards.dismissal.failed
            case .cancelled: cards.dismissal.cancelled
            }
        return (now.wall + after) / 1_000
    }

    func stale(_ subject: PushSubject, _ cards: PushApp.Cards, at now: Instant) -> Int64? {
        if isStaleAfterWhile(subject) { return (now.wall + cards.staleAfter) / 1_000 }
        return switch subject.summary.status {
        case .waitingApproval, .waitingAnswer: subject.approval?.expiresAt.map { $0 / 1_000 }
        case .starting, .running, .idle, .completed, .failed, .stale: nil
        }
    }

    /// True if the card shows something in progress, without a stated end.
    private func isStaleAfterWhile(_ subject: PushSubject) -> Bool {
        switch subject.summary.status {
        case .starting, .running: true
        case .waitingApproval, .waitingAnswer: subject.approval?.expiresAt == nil
        case .idle, .completed, .failed, .stale: false
        }
    }

    private func target(of card: Card) -> PushIntent.Target? {
        card.channel.map { .broadcast(channel: $0) } ?? card.token.map { .device(token: $0) }
    }

    func intent(
        _ purpose: PushIntent.Purpose, _ key: CardKey, _ device: RegisteredDevice, _ app: CardApp, _ target: PushIntent.Target,
        at now: Instant
    ) -> PushIntent {
        let address = device.device.address
        var intent = PushIntent(
            workspace: key.workspace, device: key.device.device, service: address.service, purpose: purpose,
            session: key.session, app: app.app.id, target: target, environment: address.environment, worthUntil: now.wall,
            plannedAt: now.wall)
        intent.isEnvironmentProven = device.isEnvironmentProven
        if case .broadcast(let name) = target, let channel = channels[name] { intent.environment = channel.environment }
        return intent
    }

    mutating func takeUrgent(_ key: DeviceKey, for purpose: PushBucket.Purpose, at now: Instant) -> Bool {
        guard var device = devices[key] else { return false }
        let isTaken = device.urgent.take(for: purpose, isFrequent: device.device.hasFrequentPushes, at: now.wall)
        devices[key] = device
        if isTaken { stageRecord(of: key) }
        return isTaken
    }
}

extension Card {
    /// Change of the attention that a card asks for, compared with what it shows.
    enum Turn {
        case none, begins, ends
    }

    func turn(to phase: Phase) -> Turn {
        if phase.isAttention { return showsAttention ? .none : .begins }
        // A disconnected host may return in a moment, and with it the request at its terminal.
        let mayComeBack = phase.status == .stale && self.phase?.waiting.isEmpty != false
        return showsAttention && !mayComeBack ? .ends : .none
    }

    func urgency(after phase: Phase, isLive: Bool) -> Mailbox.Urgency {
        if turn(to: phase) != .none || !isLive { return .waiting }
        guard let before = self.phase else {
            // An earlier run of the relay sent its last state.
            return !phase.waiting.isEmpty ? .waiting : face != 0 && phase.status != .stale ? .phase : .small
        }
        if before.waiting != phase.waiting || before.error != phase.error || before.budgetLevel != phase.budgetLevel {
            return .waiting
        }
        return before.status != phase.status && phase.status != .stale ? .phase : .small
    }

    /// Takes the new phase. When all requests are decided, the host reports shortly how it continues; until `end` nothing is sent,
    /// to save a push.
    mutating func look(at new: Phase, until end: Int64) {
        let isPassing = new.waiting.isEmpty && new.isAttention
        if isPassing, phase?.waiting.isEmpty == false { passingUntil = end }
        if !isPassing { passingUntil = 0 }
        phase = new
    }

    /// Puts a change into the mailbox. The earlier due time counts; changes of phase wait a little for one another.
    mutating func put(_ new: Mailbox.Urgency, _ turn: Turn, grace: Int64, settle: Int64, at now: Int64) {
        let since = mailbox?.since ?? now
        let due: Int64 =
            switch (new, turn) {
            case (.small, _): max(sentAt + PushPolicy.floor, now + settle)
            case (.phase, _): min(now + PushPolicy.settle, since + PushPolicy.settleMax)
            case (.waiting, .ends): now
            case (.waiting, .begins): max(now + min(grace, PushPolicy.settle), waitingAt + PushPolicy.attentionFloor)
            case (.waiting, .none):
                passingUntil > now ? passingUntil : max(now + grace, waitingAt + PushPolicy.waitingFloor)
            }
        let urgency = max(new, mailbox?.urgency ?? .small)
        // A phase that keeps changing is postponed. Anything else is never later than before, unless it is transient.
        let isPutOff = new == .phase && mailbox?.urgency == .phase
        let soonest = isPutOff ? due : min(due, mailbox?.dueAt ?? due)
        mailbox = Mailbox(urgency: urgency, dueAt: max(soonest, passingUntil), since: since)
    }
}

extension PushSubject {
    /// A session as it may be shown on this device.
    init(_ view: SessionView, for device: RegisteredDevice, _ app: PushApp, at now: Int64) {
        let pending = view.approvals.pending
        let wished = device.text(app)
        self.init(
            summary: view.summary, approval: pending.min { ($0.seq, $0.id.rawValue) < ($1.seq, $1.id.rawValue) },
            // The relay has only placeholders for a sealed session.
            text: view.summary.line == nil ? wished : wished.least(.generic), now: now)
        waiting = Set(pending.map(\.id))
        budgetLevel = view.state.summary.budget?.level ?? 0
        language = device.device.pushLanguage
        if device.device.hidesCost { hideCost() }
    }

    /// The subject of a session that is gone.
    init(ended session: SessionID?, named name: String, text: PushText, now: Int64) {
        var summary = Summary(
            session: session ?? SessionID("all")!, host: Named(id: HostID("none")!, name: name), hostIsConnected: false,
            agentName: name, startedAt: now)
        summary.status = .completed
        summary.endedAt = now
        self.init(summary: summary, approval: nil, text: text, now: now)
        isOfAll = session == nil
    }

    /// The subject without the current time and the last activity: their change alone is no reason for a push.
    var still: PushSubject {
        var still = self
        still.now = summary.startedAt
        still.summary.line = nil
        return still
    }
}
