import RelayModel
import RelayProtocol

/// The stages of a push: planned, on disk, sent, answered.
extension PushPlanner {
    /// Numbers, keeps and stages a push; it is sent when it is on disk. Returns its number.
    @discardableResult
    mutating func plan(_ planned: PlannedPush) -> PushID {
        let planned = pushes.add(planned)
        let workspace = planned.intent.workspace
        let forgotten = pushes.forgetOld(of: planned.key) { code in
            sight.isPending(code.approval, in: SessionKey(workspace: workspace, session: code.session))
        }
        stageRemoval(of: forgotten)
        stageRecord(of: planned)
        keepLastNumber()
        orders.append(.stageOrder(planned.intent))
        if let card = planned.card { cards[card]?.inFlight = planned.intent.id }
        tellWatchers(of: planned)
        return planned.intent.id
    }

    /// Records the last number of the shared block with the first workspace, so that removing another with its pushes does not free
    /// their numbers: after the next start a notification of the removed workspace would otherwise decide in another one.
    ///
    /// It is written in the transaction of each push, not when a workspace is removed, because that also happens while no relay
    /// runs.
    mutating func keepLastNumber() {
        guard let last = pushes.takeLastOfAll() else { return }
        stage(PushRecord(workspace: pushes.firstWorkspace, kind: .push, name: last.name, bytes: last.bytes))
    }

    /// Sends a push that is on disk as planned. The approval that it rings for may have been settled in the same commit.
    mutating func planned(_ intent: PushIntent, at now: Instant) {
        guard let planned = pushes[intent.id] else { return }
        guard !planned.isWithdrawn, !isSettled(planned) else {
            _ = pushes.withdraw(intent.id)
            return pushAnswered(intent.id, .notSent("it was settled before it was sent"), at: now)
        }
        guard let max = allowance.take(intent, at: now.wall) else { return order(intent) }
        orders.append(.allowanceReached(intent.workspace))
        pushAnswered(
            intent.id, .notSent("the relay sends \(max) pushes a day for this workspace, and no more until midnight UTC"),
            at: now)
    }

    /// True if it rings, and everything that it rings for is settled.
    func isSettled(_ planned: PlannedPush) -> Bool {
        let workspace = planned.intent.workspace
        return !planned.rings.isEmpty
            && !planned.rings.contains {
                sight.isPending($0.approval, in: SessionKey(workspace: workspace, session: $0.session))
            }
    }

    mutating func withdraw(_ id: PushID) { if pushes.withdraw(id) { orders.append(.withdraw(id)) } }

    mutating func order(_ intent: PushIntent) {
        var intent = intent
        let key = DeviceKey(workspace: intent.workspace, device: intent.device)
        if intent.purpose != .channel { intent.deviceAddress = devices[key]?.device.address.places.first }
        orders.append(.push(intent))
    }

    /// Forgets the pushes of a device. Their last numbers are recorded if the workspace's records will be read again.
    mutating func forgetPushes(of key: DeviceKey, isReadAgain: Bool = true) {
        for last in isReadAgain ? pushes.lastNumbers(of: key) : [] {
            stage(PushRecord(workspace: key.workspace, kind: .push, name: last.name, bytes: last.bytes))
        }
        stageRemoval(of: pushes.forgetAll(of: key))
    }

    private mutating func stageRemoval(of forgotten: [PlannedPush]) {
        for old in forgotten {
            stage(PushRecord(workspace: old.intent.workspace, kind: .push, name: old.name, bytes: nil))
        }
    }

    /// `isTold`: an app has just reported this device's address.
    mutating func stageRecord(of key: DeviceKey, isTold: Bool = false) {
        guard let device = devices[key] else { return }
        stage(
            PushRecord(
                workspace: key.workspace, kind: .device, name: key.device.rawValue, bytes: device.bytes,
                addresses: isTold ? device.device.address.held : nil))
    }

    /// Stages the card's record, as `stageRecord(of:)` does for a device.
    mutating func stageRecord(of key: CardKey, isTold: Bool = false) {
        guard let card = cards[key] else { return }
        stage(
            PushRecord(
                workspace: key.workspace, kind: .card, name: key.name, bytes: card.bytes(of: key),
                addresses: isTold ? card.token.map { [PushAddress(.apns, place: $0)] } ?? [] : nil))
    }

    mutating func stageRecord(of planned: PlannedPush) {
        guard let channel = settings.channels[planned.intent.service] else {
            preconditionFailure("it was planned by a channel")
        }
        stage(
            PushRecord(
                workspace: planned.intent.workspace, kind: .push, name: planned.name, bytes: planned.bytes(by: channel)))
    }

    private mutating func tellWatchers(of planned: PlannedPush) {
        guard let watchers = watchers[planned.intent.workspace], !watchers.isEmpty else { return }
        if let shown = shown(planned) { orders.append(.tell(.push(shown), to: watchers.sorted())) }
    }

    func shown(_ planned: PlannedPush) -> [UInt8]? {
        settings.channels[planned.intent.service].map { planned.shown(by: $0) }
    }

    // MARK: - What became of it

    mutating func pushAnswered(_ id: PushID, _ outcome: PushOutcome, at now: Instant) {
        guard let planned = pushes.answer(id, outcome, at: now.wall) else { return }
        answered(planned, outcome, at: now)
        serveCrowd(of: planned.key, at: now)
    }

    /// Plans waiting pushes while there is room.
    private mutating func serveCrowd(of key: DeviceKey, at now: Instant) {
        while pushes.hasRoom(for: key), let entry = crowd.takeFirst(of: key) {
            switch entry {
            case .ring(let card, let approval):
                guard cards[card]?.rings[approval] != nil, cards[card]?.rung.contains(approval) == false else { break }
                cards[card]?.rings[approval] = now.wall
                serveRings(card, at: now)
            case .card(let card):
                if let passing = cards[card]?.passingUntil { cards[card]?.mailbox?.dueAt = max(now.wall, passing) }
                serve(card, at: now)
            case .alerts: serveAlerts(of: key, at: now)
            }
        }
    }

    private mutating func answered(_ planned: PlannedPush, _ outcome: PushOutcome, at now: Instant) {
        stageRecord(of: planned)
        learn(from: planned, outcome)
        tellWatchers(of: planned)
        switch planned.intent.target {
        case .makeChannel:
            if case .accepted(let environment, let name?) = outcome { channelMade(name, by: planned, environment, at: now) }
        case .deleteChannel(let name): channelDeleted(name, outcome, at: now)
        case .device, .broadcast: break
        }
        if devices[planned.key] == nil { forgetPushes(of: planned.key) }
        if let card = planned.card { return cardPushAnswered(planned, card, outcome, at: now) }
        guard planned.intent.purpose == .alert else { return }
        if planned.isOfOverflow { return overflowAnswered(planned, outcome, at: now) }
        guard !planned.rings.isEmpty else { return alertAnswered(planned, outcome, at: now) }
        for name in planned.rings { ringAnswered(planned, name, outcome, at: now) }
    }

    // MARK: - The disk

    /// Stages records of a failed commit with the next batch: the planner's decisions stand.
    mutating func keepForNextBatch(_ lost: LostPlan) {
        giveBackCodes()
        let tied = takeBackAlerts(lost.tied)
        let names = Set(tied.map { String($0.rawValue) })
        for key in lost.tied.keys.sorted() { stageRecord(of: key) }
        // Records that were just staged are kept with the others.
        let staged = orders.compactMap { if case .stage(let record) = $0 { record } else { nil } }
        orders = []
        let own = lost.records.filter { !$0.kind.isCount && !($0.kind == .push && names.contains($0.name)) }
        owed.add(own + staged, lost.orders.filter { !tied.contains($0.id) })
        if !owed.isEmpty { orders.append(.armTimer(.owedRecords, after: PushPolicy.retryInterval)) }
    }

    mutating func stageOwed() {
        guard let taken = owed.take() else { return }
        orders.append(.stageFirst(taken.records, taken.orders))
        orders.append(.cancelTimer(.owedRecords))
    }
}
