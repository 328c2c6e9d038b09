import RelayProtocol

/// What rings: approvals and questions until they are resolved, errors, runs that are over, budgets. Each once.
extension Relay {
    /// One alert to a device, in words.
    struct Alert {
        /// Nil: the person tries whether pushes arrive.
        var kind: AlertKind?
        var text: AlertText
        var level: Payload.Level
        var thread: String
        var collapse: String
        var session: SessionID?
        var approval: Approval?
        /// What stands on the Lock Screen until the device has opened what is sealed.
        var cover: AlertText
        /// No longer than this, in milliseconds since 1970.
        var worthUntil = Int64.max
    }

    // MARK: - Looking

    /// What there is to ring for in this session, and what no longer is.
    mutating func lookForRings(_ key: CardKey, _ view: SessionView, at now: Instant) {
        guard var card = push.cards[key] else { return }
        let pending = view.approvals.pending
        let names = Set(pending.map(\.id))
        for approval in pending
        where !card.rung.contains(approval.id) && card.rings[approval.id] == nil && wants(approval, key) {
            card.rings[approval.id] = now.wall + grace(of: key, at: now)
        }
        for gone in card.rings.keys where !names.contains(gone) { card.rings[gone] = nil }
        card.seen.formIntersection(names)
        let settled = card.rung.subtracting(names)
        card.rung.subtract(settled)
        push.cards[key] = card
        for approval in settled.sorted(by: { $0.rawValue < $1.rawValue }).compactMap({ view.approvals[$0] }) {
            takeBack(approval, key, view, at: now)
        }
        if !settled.isEmpty { stageRecord(of: key) }
        lookAtRun(key, view, at: now)
        serveRings(key, at: now)
    }

    private mutating func lookAtRun(_ key: CardKey, _ view: SessionView, at now: Instant) {
        guard var card = push.cards[key] else { return }
        let summary = view.state.summary
        if summary.isAtWork, card.runBeganAt == nil {
            card.runBeganAt = now.wall
            push.cards[key] = card
            stageRecord(of: key)
        } else if !summary.isAtWork, let began = card.runBeganAt {
            card.runBeganAt = nil
            push.cards[key] = card
            stageRecord(of: key)
            let isLong = now.wall - began >= PushPolicy.finishedMin
            if summary.status == .failed {
                ring(.error, key, view, at: now)
            } else if isLong, summary.status == .idle || summary.status == .completed {
                ring(.finished, key, view, at: now)
            }
        }
        if let error = summary.error, error != push.cards[key]?.errorRung {
            push.cards[key]?.errorRung = error
            stageRecord(of: key)
            if summary.status != .failed { ring(.error, key, view, at: now) }
        } else if summary.error == nil, push.cards[key]?.errorRung != nil {
            push.cards[key]?.errorRung = nil
            stageRecord(of: key)
        }
    }

    // MARK: - Approvals and questions

    mutating func saw(_ approval: ApprovalID, in key: SessionKey, _ peer: PeerID, at now: Instant) {
        guard let device = clients[peer]?.presence?.device,
            sessions[key]?.committed?.approvals[approval]?.stage == .pending
        else {
            return
        }
        let card = CardKey(device: DeviceKey(workspace: key.workspace, device: device), session: key.session)
        push.cards[card]?.seen.insert(approval)
    }

    /// Rings for what is due, and arms the timer for the next.
    mutating func serveRings(_ key: CardKey, at now: Instant) {
        guard let session = key.session, let rings = push.cards[key]?.rings else { return }
        let timer = RelayTimer.rings(key.workspace, key.device.device, session)
        if let device = push.devices[key.device], callsByCard(device) {
            if !rings.isEmpty { effects.append(.cancelTimer(timer)) }
            return serve(CardKey(device: key.device, session: device.device.cards == .aggregate ? nil : session), at: now)
        }
        for (id, due) in rings.sorted(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }) where due <= now.wall {
            ringOrWait(for: id, key, at: now)
        }
        if let next = push.cards[key]?.rings.values.min() {
            effects.append(.armTimer(timer, after: max(1, next - now.wall)))
        } else if !rings.isEmpty {
            effects.append(.cancelTimer(timer))
        }
    }

    private mutating func ringOrWait(for id: ApprovalID, _ key: CardKey, at now: Instant) {
        guard let device = push.devices[key.device], let session = key.sessionKey, let view = sessions[session]?.committed,
            let approval = view.approvals[id], approval.stage == .pending
        else {
            push.cards[key]?.rings[id] = nil
            return
        }
        let kind = approval.alertKind
        // Should the person, or the app with another token, want it after all, the next look finds it again.
        guard wants(approval, key), !isOver(approval, in: session, at: now) else {
            push.cards[key]?.rings[id] = nil
            return
        }
        // It is on the very screen that would ring; when that turns away, it rings after all.
        if let until = presentUntil(key.device, at: now), push.cards[key]?.seen.contains(id) == true {
            push.cards[key]?.rings[id] = until + 1
            return
        }
        if let end = quietUntil(device, at: now.wall) {
            push.cards[key]?.rings[id] = end
            return
        }
        // A card was rung with before the device had a token for alerts: APNs' answer says whether that is heard.
        if isBeingCalled(id, key) {
            push.cards[key]?.rings[id] = now.wall + PushPolicy.retryInterval
            return
        }
        guard let profile = pushing.profiles[device.device.profile] else { return }
        var subject = PushSubject(view, for: device, profile, at: now.wall)
        subject.approval = approval
        let alert = Alert(
            kind: kind, text: text(kind, subject, device, profile), level: .timeSensitive, thread: session.session.rawValue,
            collapse: approval.collapse, session: session.session, approval: approval,
            cover: cover(kind, subject))
        guard planAlert(alert, to: key.device, at: now) != nil else {
            push.cards[key]?.rings[id] = now.wall + PushPolicy.retryInterval
            return
        }
        push.cards[key]?.rings[id] = nil
        push.cards[key]?.rung.insert(id)
        stageRecord(of: key)
    }

    /// What was rung for has been settled: the notification says so, without ringing again.
    private mutating func takeBack(_ approval: Approval, _ key: CardKey, _ view: SessionView, at now: Instant) {
        guard let device = push.devices[key.device], let session = key.session,
            let profile = pushing.profiles[device.device.profile], device.device.alertToken != nil, wants(approval, key)
        else {
            return
        }
        // Whoever decided on this very device has seen it, and so does who looks.
        guard approval.decision?.client != device.client.id, presentUntil(key.device, at: now) == nil else { return }
        let subject = PushSubject(view, for: device, profile, at: now.wall)
        let alert = OwedAlert(
            approval.alertKind, words(on: subject, profile) { .settled(approval, $0, textMax: $1) },
            cover: .settled(approval, subject, textMax: .generic), chosen: subject.text, level: .passive,
            thread: session.rawValue, collapse: approval.collapse, session: session, at: now.wall)
        owe(alert, to: key.device, at: now)
    }

    // MARK: - Everything else

    private mutating func ring(_ kind: AlertKind, _ key: CardKey, _ view: SessionView, at now: Instant) {
        ring(kind, key.device, view, collapse: "\(kind.rawValue).\(view.state.summary.session)", at: now)
    }

    /// No card shows the run that goes on: from here on alerts tell of it.
    mutating func tellOfRun(_ key: CardKey, at now: Instant, _ compose: (PushSubject, PushText) -> AlertText) {
        guard let device = push.devices[key.device], let profile = pushing.profiles[device.device.profile],
            let subject = subject(of: key, at: now.wall), subject.summary.isAtWork, device.device.alertToken != nil,
            wants(.finished, device, subject.summary.session)
        else { return }
        let alert = OwedAlert(
            .finished, words(on: subject, profile, compose), cover: compose(subject, .generic), chosen: subject.text,
            level: .active,
            thread: subject.summary.session.rawValue, collapse: "running.\(key.session?.rawValue ?? "all")".asCollapseID,
            session: subject.summary.session, at: now.wall)
        owe(alert, to: key.device, at: now)
    }

    /// In the batch that holds the crossing: both are on disk, or neither.
    mutating func ring(for crossing: BudgetCrossing, _ key: SessionKey, at now: Instant) {
        guard let view = sessions[key]?.staged else { return }
        for device in devices(of: key.workspace) {
            let number = ring(
                .budget, device, view, budgetLevel: crossing.level,
                collapse: "budget.\(crossing.scope?.rawValue ?? "all").\(crossing.level).\(key.session)", at: now)
            if let number { staging.tied[device, default: []].insert(number) }
        }
    }

    /// Who has it before their eyes is not rung, and in quiet hours it is counted for the digest. Returns the alert's number.
    @discardableResult
    private mutating func ring(
        _ kind: AlertKind, _ key: DeviceKey, _ view: SessionView, budgetLevel: Int64? = nil, collapse: String, at now: Instant
    ) -> Int64? {
        let session = view.state.summary.session
        guard let device = push.devices[key], let profile = pushing.profiles[device.device.profile],
            device.device.alertToken != nil, wants(kind, device, session)
        else { return nil }
        var subject = PushSubject(view, for: device, profile, at: now.wall)
        if let budgetLevel { subject.budgetLevel = budgetLevel }
        let alert = OwedAlert(
            kind, text(kind, subject, device, profile), cover: cover(kind, subject), chosen: subject.text, level: .active,
            thread: session.rawValue, collapse: collapse.asCollapseID, session: session, at: now.wall)
        return owe(alert, to: key, at: now)
    }

    /// As an alert, or with a card where there is no way for alerts.
    func wants(_ approval: Approval, _ key: CardKey) -> Bool {
        guard let device = push.devices[key.device] else { return false }
        return wants(approval.alertKind, device, approval.session) && (device.device.alertToken != nil || callsByCard(device))
    }

    private func wants(_ kind: AlertKind, _ device: RegisteredDevice, _ session: SessionID) -> Bool {
        device.device.kinds.contains(kind) && !device.device.muted.contains(session)
    }

    func text(
        _ kind: AlertKind, _ subject: PushSubject, _ device: RegisteredDevice, _ profile: Profile
    ) -> AlertText {
        let bytesMax = subject.text == .sealed ? Payload.sealedAlertTextBytesMax : Payload.alertTextBytesMax
        return words(on: subject, profile) { .compose(kind: kind, subject: $0, textMax: $1, bytesMax: bytesMax) }
    }

    /// What is sealed may say everything: only the device reads it.
    private func words(
        on subject: PushSubject, _ profile: Profile, _ compose: (PushSubject, PushText) -> AlertText
    ) -> AlertText {
        guard subject.text == .sealed else { return compose(subject, profile.textMax) }
        var subject = subject
        subject.text = .full
        return compose(subject, .full)
    }

    private func cover(_ kind: AlertKind, _ subject: PushSubject) -> AlertText {
        AlertText.compose(kind: kind, subject: subject, textMax: .generic, bytesMax: Payload.alertTextBytesMax)
    }

    // MARK: - Quiet hours

    /// When the present quiet hours end, in milliseconds since 1970; nil: they are not now.
    func quietUntil(_ device: RegisteredDevice, at now: Int64) -> Int64? {
        guard let quiet = device.device.quiet, quiet.from != quiet.to,
            let minute = pushing.localMinute(quiet.timeZone, now)
        else {
            return nil
        }
        let isWithin =
            quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
        guard isWithin else { return nil }
        let left = (quiet.to - minute + 1_440) % 1_440
        // On the minute. A clock that is changed meanwhile makes us look again then, no more.
        return now - now % 60_000 + left * 60_000
    }

    /// One at a time: what is owed goes first.
    mutating func armDigest(of key: DeviceKey, at now: Instant) {
        guard let device = push.devices[key], !device.heldBack.isEmpty, device.owed.isEmpty else { return }
        let end = max(quietUntil(device, at: now.wall) ?? now.wall, presentUntil(key, at: now) ?? 0)
        effects.append(.armTimer(.digest(key.workspace, key.device), after: max(1, end - now.wall)))
    }

    /// One notification for all that was held back.
    mutating func tellDigest(of key: DeviceKey, at now: Instant) {
        guard let device = push.devices[key], !device.heldBack.isEmpty, device.owed.isEmpty else { return }
        guard quietUntil(device, at: now.wall) == nil, presentUntil(key, at: now) == nil else {
            return armDigest(of: key, at: now)
        }
        let counts = AlertKind.allCases.compactMap { kind in
            device.heldBack[kind].map { "\($0) \($0 == 1 ? kind.one : kind.many)" }
        }
        let text = AlertText(
            title: "Meanwhile", subtitle: nil, body: counts.joined(separator: ", "), isWhole: false)
        let alert = OwedAlert(
            .finished, text, cover: text, chosen: device.device.text, level: .passive, thread: "digest", collapse: "digest",
            session: nil, at: now.wall)
        push.devices[key]?.heldBack = [:]
        owe(alert, to: key, at: now)
    }

    // MARK: - Planning

    /// Nil where too much waits; the caller comes back.
    mutating func planAlert(_ alert: Alert, to key: DeviceKey, at now: Instant) -> PushID? {
        guard let device = push.devices[key], let token = device.device.alertToken,
            let profile = pushing.profiles[device.device.profile], hasRoomForPush(key)
        else {
            return nil
        }
        let isWaitedFor = alert.approval != nil
        let age = isWaitedFor ? PushPolicy.codeAge : PushPolicy.alertAge
        // An approval that is pending past its date is one whose date a set clock has overtaken.
        let expiry = alert.approval?.expiresAt ?? .max
        let end = min(expiry > now.wall ? expiry : .max, alert.worthUntil, now.wall + age)
        var order = PushOrder(
            id: PushID(rawValue: 0), workspace: key.workspace, device: key.device, purpose: .alert, session: alert.session,
            bundle: profile.bundle, target: .device(token: token), environment: device.device.environment, worthUntil: end,
            plannedAt: now.wall)
        order.isEnvironmentProven = device.isEnvironmentProven
        order.topic = profile.bundle
        order.pushType = "alert"
        order.priority = alert.level == .passive ? 5 : 10
        order.expiration = end / 1_000
        order.collapse = alert.collapse
        order.isHarmlessToRepeat = true
        order.tokenRegisteredAt = device.alertTokenAt
        if let approval = alert.approval {
            order.code = PushCode(
                session: approval.session, approval: approval.id, digest: approval.request.digest, expiresAt: end)
        }
        let isSealed = device.device.text == .sealed && alert.session != nil
        let text = isSealed ? alert.cover : alert.text
        if isSealed, let seal = device.device.sealKey {
            order.seal = PushSeal(key: seal, text: alert.text.bytes(withCode: order.code != nil))
        }
        let mayAllow = alert.text.isWhole && alert.approval.map { !$0.request.isCut && !$0.request.isRedacted } == true
        order.payload = Payload.alert(
            profile, kind: alert.kind, text: text, thread: alert.thread, level: alert.level, session: alert.session,
            approval: alert.approval?.id, code: order.code != nil && !isSealed, mayAllow: mayAllow, sealed: isSealed)
        var planned = PlannedPush(order, card: nil)
        planned.mayAllow = mayAllow
        plan(planned)
        return push.lastPushID
    }

    // MARK: - What became of pushes

    mutating func pushAnswered(_ id: PushID, _ outcome: PushOutcome, at now: Instant) {
        guard var planned = push.pushes[id], planned.outcome == nil else { return }
        planned.outcome = outcome
        planned.answeredAt = now.wall
        push.pushes[id] = planned
        stageRecord(of: planned)
        learn(from: planned, outcome)
        tellWatchers(of: planned)
        switch planned.order.target {
        case .makeChannel:
            if case .accepted(let environment, let name?) = outcome { channelMade(name, by: planned, environment, at: now) }
        case .deleteChannel(let name): channelDeleted(name, outcome, at: now)
        case .device, .broadcast: break
        }
        if push.devices[planned.key] == nil { forgetPushes(of: planned.key) }
        if let card = planned.card { return cardPushAnswered(planned, card, outcome, at: now) }
        guard planned.order.purpose == .alert else { return }
        guard planned.order.code != nil else { return alertAnswered(planned, outcome, at: now) }
        switch outcome {
        // Sent again it would be refused again.
        case .accepted, .refused(.fixRequest, _), .refused(.markProfile, _): break
        // The client has tried as long as it was worth it, or the token is another now; the person is still waited for. Should APNs have
        // it all the same, it is one notification.
        case .unknown, .notSent, .refused: ringAgain(planned, at: now)
        }
    }

    private mutating func ringAgain(_ planned: PlannedPush, at now: Instant) {
        guard let code = planned.order.code else { return }
        let key = CardKey(device: planned.key, session: code.session)
        guard push.cards[key]?.rung.remove(code.approval) != nil else { return }
        push.cards[key]?.rings[code.approval] = now.wall + PushPolicy.retryInterval
        stageRecord(of: key)
        serveRings(key, at: now)
    }

    // MARK: - Codes

    /// Decides as the client does whose device the code was sent to.
    mutating func codePresented(
        _ id: PushID, _ verdict: Decision.Verdict, _ command: CommandID, _ peer: PeerID, at now: Instant
    ) {
        guard let planned = push.pushes[id], let code = planned.order.code, let device = push.devices[planned.key] else {
            reply(.noSuchCode, to: command, of: peer)
            return
        }
        let key = SessionKey(workspace: planned.order.workspace, session: code.session)
        guard code.expiresAt > now.wall, let approval = sessions[key]?.committed?.approvals[code.approval] else {
            reply(.noSuchCode, to: command, of: peer)
            return
        }
        if planned.isCodeUsed, approval.decision == nil, approval.stage == .pending {
            // It is being put on disk by whoever used it first; that one is answered.
            reply(.failed(.closed, "this code has been used"), to: command, of: peer)
            return
        }
        switch verdict {
        case .deny: break
        case .allow, .allowIn, .answer:
            guard planned.mayAllow else {
                reply(
                    .failed(
                        .notWhole, "the notification did not show the whole input: it can be denied from there, not allowed"),
                    to: command, of: peer)
                return
            }
        }
        let identity = ClientIdentity(
            workspace: Named(id: planned.order.workspace, name: planned.order.workspace.rawValue), client: device.client)
        var client = ClientPeer(identity: identity)
        client.hasSaidHello = true
        clients[peer] = client
        let decide = DecideCommand(
            session: code.session, approval: code.approval, digest: code.digest, verdict: verdict)
        self.decide(decide, command, of: client, peer, at: now)
        // A decision that was refused has not used it up.
        guard sessions[key]?.staged.approvals[code.approval]?.decision?.command == command else { return }
        markCode(of: id, isUsed: true)
    }

    private mutating func markCode(of id: PushID, isUsed: Bool) {
        push.pushes[id]?.isCodeUsed = isUsed
        if let marked = push.pushes[id] { stageRecord(of: marked) }
    }

    /// The disk did not take what they decided.
    mutating func giveBackCodes() {
        for id in push.pushes.keys.sorted() {
            guard let planned = push.pushes[id], planned.isCodeUsed, let code = planned.order.code else { continue }
            let key = SessionKey(workspace: planned.order.workspace, session: code.session)
            guard let approval = sessions[key]?.committed?.approvals[code.approval], approval.stage == .pending,
                approval.decision == nil
            else {
                continue
            }
            markCode(of: id, isUsed: false)
        }
    }
}

extension Reply {
    /// The same for one that never was, is too old, or belongs to what is gone: a guess learns nothing.
    fileprivate static let noSuchCode = Reply.failed(.notFound, "there is no such code")
}

extension Approval {
    var alertKind: AlertKind { request.kind == .question ? .question : .approval }
    /// One notification, however often it is sent.
    fileprivate var collapse: String { "\(session).\(id)".asCollapseID }
}

extension AlertText {
    fileprivate func bytes(withCode hasCode: Bool) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("title", title)
            writer.field("subtitle", subtitle)
            writer.field("body", body)
            writer.field("code", hasCode ? "CODE" : nil)
        }
    }
}

extension AlertKind {
    fileprivate var one: String {
        switch self {
        case .approval: "approval"
        case .question: "question"
        case .error: "error"
        case .finished: "run finished"
        case .budget: "budget crossed"
        }
    }

    fileprivate var many: String {
        switch self {
        case .approval: "approvals"
        case .question: "questions"
        case .error: "errors"
        case .finished: "runs finished"
        case .budget: "budgets crossed"
        }
    }
}

extension String {
    /// Apple takes 64 bytes.
    fileprivate var asCollapseID: String { utf8.count <= 64 ? self : String(digest(Array(utf8)), radix: 16) }
}
