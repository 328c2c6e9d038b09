import RelayProtocol

/// Devices, and the way of a push: planned, on disk, sent, answered.
extension Relay {
    mutating func runPushCommand(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        switch command {
        case .presence(let isForeground, let session, let device):
            setPresence(isForeground, session, device, of: client, peer, at: now)
            reply(.done, to: id, of: peer)
        case .seen(let session, let approval):
            saw(approval, in: SessionKey(workspace: client.workspace, session: session), peer, at: now)
            reply(.done, to: id, of: peer)
        case .device(let device): register(device, id, of: client, peer, at: now)
        case .card(let device, let report): reported(report, by: device, id, of: client, peer, at: now)
        case .forget(let device): forget(device, id, of: client, peer, at: now)
        case .devices(let watches):
            if watches { push.watchers[client.workspace, default: []].insert(peer) }
            reply(.devices(shownDevices(in: client.workspace, at: now)), to: id, of: peer)
        case .testPush(let device): testPush(device, id, of: client, peer, at: now)
        default: preconditionFailure("not a command about pushes")
        }
    }

    // MARK: - Devices

    private mutating func register(
        _ device: Device, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let key = DeviceKey(workspace: client.workspace, device: device.id)
        guard let profile = pushing.profiles[device.profile] else {
            reply(
                .failed(
                    Notice(WireError(.badValue, at: "$.device.profile", "there is no profile \(device.profile)")), winner: nil),
                to: id, of: peer)
            return
        }
        if let quiet = device.quiet, pushing.localMinute(quiet.timeZone, now.wall) == nil {
            reply(
                .failed(Notice(WireError(.badValue, at: "$.device.quiet.timeZone", "there is no such time zone")), winner: nil),
                to: id, of: peer)
            return
        }
        let count = push.devicesOf[client.workspace]?.count ?? 0
        guard push.devices[key] != nil || count < Limits.devicesMax else {
            reply(.failed(.tooMany, "at most \(Limits.devicesMax) devices"), to: id, of: peer)
            return
        }
        takeTokens(of: device, for: key)
        if push.devices[key] == nil {
            push.devices[key] = RegisteredDevice(device, client: client.identity.client, at: now.wall)
            push.devicesOf[client.workspace, default: []].insert(device.id)
        } else {
            push.devices[key]?.update(device, client: client.identity.client, at: now.wall)
        }
        if profile.attributesType == nil { push.devices[key]?.device.cards = .off }
        stageRecord(of: key)
        replyWhenStaged(to: id, of: peer)
        forgetFailures(of: key, at: now)
        lookAtEverything(of: key, at: now)
    }

    /// A token belongs to one device: where it was known before, it is no longer.
    private mutating func takeTokens(of device: Device, for key: DeviceKey) {
        for (other, known) in push.devices where other != key {
            var known = known
            if let token = device.alertToken, known.device.alertToken == token { known.device.alertToken = nil }
            if let token = device.startToken, known.device.startToken == token { known.device.startToken = nil }
            guard known.device != push.devices[other]?.device else { continue }
            known.troubles[.alerts] = "its app registered as another device"
            push.devices[other] = known
            stageRecord(of: other)
        }
    }

    private mutating func forget(
        _ device: DeviceID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let key = DeviceKey(workspace: client.workspace, device: device)
        guard push.devices[key] != nil else {
            reply(.noSuchDevice, to: id, of: peer)
            return
        }
        forgetDevice(key, at: now)
        replyWhenStaged(to: id, of: peer)
    }

    /// As if those who hold a token no more had asked for it: nothing is sent to their devices, and no code of theirs decides.
    mutating func forgetDevices(allBut holders: Set<ClientKey>, at now: Instant) {
        for key in push.devices.keys.sorted() {
            guard let client = push.devices[key]?.client.id,
                !holders.contains(ClientKey(workspace: key.workspace, client: client))
            else { continue }
            forgetDevice(key, at: now)
        }
    }

    private mutating func forgetDevice(_ key: DeviceKey, at now: Instant) {
        for card in push.cards.keys.filter({ $0.device == key }).sorted() { forgetCard(card, at: now) }
        forgetPushes(of: key)
        push.devices[key] = nil
        push.devicesOf[key.workspace]?.remove(key.device)
        push.presentPeers[key] = nil
        effects.append(.cancelTimer(.digest(key.workspace, key.device)))
        effects.append(.cancelTimer(.alerts(key.workspace, key.device)))
        staging.records.append(PushRecord(workspace: key.workspace, kind: .device, name: key.device.rawValue, bytes: nil))
    }

    private mutating func testPush(
        _ device: DeviceID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let key = DeviceKey(workspace: client.workspace, device: device)
        guard let known = push.devices[key] else {
            reply(.noSuchDevice, to: id, of: peer)
            return
        }
        guard known.device.alertToken != nil else {
            reply(.failed(.unavailable, known.trouble ?? "its app has told no token for alerts"), to: id, of: peer)
            return
        }
        let text = AlertText(title: "Heliograph", subtitle: nil, body: "Pushes reach \(known.device.name).", isWhole: false)
        let alert = Alert(
            kind: nil, text: text, level: .active, thread: "test", collapse: "test", session: nil, cover: text)
        guard planAlert(alert, to: key, at: now) != nil else {
            reply(.failed(.tooMany, "too many pushes wait to be sent"), to: id, of: peer)
            return
        }
        replyWhenStaged(to: id, of: peer)
    }

    private func shownDevices(in workspace: WorkspaceID, at now: Instant) -> [[UInt8]] {
        devices(of: workspace).compactMap { key in push.devices[key].map { shown($0, key, at: now) } }
    }

    /// Tokens are nobody's business but ours and Apple's.
    private func shown(_ known: RegisteredDevice, _ key: DeviceKey, at now: Instant) -> [UInt8] {
        JSONWriter.object { writer in
            writer.raw("device", known.device.bytesWithoutSecrets)
            writer.object("client") { known.client.write(to: &$0) }
            writer.field("present", presentUntil(key, at: now) != nil)
            let cards = push.cards.filter { $0.key.device == key && $0.value.stage != .none }.sorted { $0.key < $1.key }
            writer.array("cards", cards.map { $0.value.shown(as: $0.key) })
            writer.field("trouble", known.trouble)
            let pushes = (push.pushesOf[key] ?? []).suffix(Limits.pushesShown).reversed()
            writer.array("pushes", pushes.compactMap { push.pushes[$0]?.shown })
        }
    }

    // MARK: - Planning

    /// Numbers a push, keeps it, and stages it: it is sent when it is on disk.
    mutating func plan(_ planned: PlannedPush) {
        var planned = planned
        push.lastPush += 1
        planned.order.id = PushID(rawValue: push.lastPush)
        push.pushes[planned.order.id] = planned
        push.pushesOf[planned.key, default: []].append(planned.order.id)
        forgetOldPushes(of: planned.key, at: planned.order.plannedAt)
        stageRecord(of: planned)
        staging.orders.append(planned.order)
        if let card = planned.card { push.cards[card]?.inFlight = planned.order.id }
        tellWatchers(of: planned)
    }

    /// As many as may wait for an answer; beyond that nothing is planned, and cards and rings stay due.
    func hasRoomForPush(_ key: DeviceKey) -> Bool {
        let unanswered = push.pushesOf[key]?.count { push.pushes[$0]?.outcome == nil } ?? 0
        return unanswered < Limits.unansweredPushesMax
    }

    private mutating func forgetOldPushes(of key: DeviceKey, at now: Int64) {
        guard var ids = push.pushesOf[key], ids.count > Limits.pushesKept else { return }
        for id in ids.dropLast(Limits.pushesKept) {
            guard let old = push.pushes[id], old.outcome != nil else { continue }
            if let code = old.order.code, code.expiresAt > now, !old.isCodeUsed, ids.count <= 2 * Limits.pushesKept { continue }
            removePush(id)
            ids.removeAll { $0 == id }
        }
        push.pushesOf[key] = ids
    }

    /// Of a device that is forgotten.
    mutating func forgetPushes(of key: DeviceKey) {
        let (kept, old) = (push.pushesOf[key] ?? []).reduce(into: ([PushID](), [PushID]())) { lists, id in
            if push.pushes[id]?.outlivesDevice == true { lists.0.append(id) } else { lists.1.append(id) }
        }
        push.pushesOf[key] = kept.isEmpty ? nil : kept
        for id in old { removePush(id) }
    }

    private mutating func removePush(_ id: PushID) {
        guard let old = push.pushes.removeValue(forKey: id) else { return }
        staging.records.append(PushRecord(workspace: old.order.workspace, kind: .push, name: old.name, bytes: nil))
    }

    mutating func stageRecord(of key: DeviceKey) {
        guard let device = push.devices[key] else { return }
        staging.records.append(
            PushRecord(workspace: key.workspace, kind: .device, name: key.device.rawValue, bytes: device.bytes))
    }

    mutating func stageRecord(of key: CardKey) {
        guard let card = push.cards[key] else { return }
        staging.records.append(
            PushRecord(workspace: key.workspace, kind: .card, name: key.name, bytes: card.bytes(of: key)))
    }

    mutating func stageRecord(of planned: PlannedPush) {
        staging.records.append(
            PushRecord(workspace: planned.order.workspace, kind: .push, name: planned.name, bytes: planned.bytes))
    }

    private mutating func replyWhenStaged(to id: CommandID, of peer: PeerID) {
        staging.recordWaiters.append(RecordWaiter(peer: peer, command: id))
    }

    mutating func tellWatchers(of planned: PlannedPush) {
        guard let watchers = push.watchers[planned.order.workspace], !watchers.isEmpty else { return }
        let able = watchers.filter { clients[$0]?.isCongested == false }
        send(.push(planned.shown), to: able.sorted())
    }

    // MARK: - The disk

    mutating func recordsCommitted(_ batch: Staging) {
        for order in batch.orders where push.pushes[order.id] != nil { effects.append(.push(order)) }
        for waiter in batch.recordWaiters where clients[waiter.peer] != nil {
            reply(.done, to: waiter.command, of: waiter.peer)
        }
    }

    /// What the planner decided stands, whatever became of the tick it was decided in: it is tried with the next batch.
    mutating func recordsFailed(_ batch: Staging, _ reason: String) {
        for waiter in batch.recordWaiters where clients[waiter.peer] != nil {
            reply(.failed(.unavailable, reason), to: waiter.command, of: waiter.peer)
        }
        giveBackCodes()
        let tied = takeBackAlerts(batch.tied)
        let names = Set(tied.map { String($0.rawValue) })
        for key in batch.tied.keys.sorted() { stageRecord(of: key) }
        let own = batch.records.filter { $0.kind != .budget && !($0.kind == .push && names.contains($0.name)) }
        push.owed = PushRecord.latest(push.owed + own + staging.records)
        staging.records = []
        push.owedOrders += batch.orders.filter { !tied.contains($0.id) }
        if !push.owed.isEmpty { effects.append(.armTimer(.owedRecords, after: PushPolicy.retryInterval)) }
    }

    mutating func stageOwedRecords() {
        guard !push.owed.isEmpty else { return }
        staging.records = push.owed + staging.records
        staging.orders = push.owedOrders + staging.orders
        push.owed = []
        push.owedOrders = []
        effects.append(.cancelTimer(.owedRecords))
    }

    // MARK: - Starting

    /// Pushes without an answer may have been sent: what is harmless to repeat is, the rest has an outcome that nobody knows.
    mutating func resumePushes(at now: Instant, holders: Set<ClientKey>?) {
        push.clockOffset = now.wall - now.uptime
        for key in push.devices.keys { push.devices[key]?.limit(to: now.wall) }
        for key in push.cards.keys { push.cards[key]?.limit(to: now.wall) }
        // What is planned from here on is sent when it is on disk.
        let unanswered = push.pushes.values.filter { $0.outcome == nil }.sorted { $0.order.id < $1.order.id }
        for planned in unanswered {
            if let card = planned.card { push.cards[card]?.inFlight = planned.order.id }
            if case .deleteChannel(let name) = planned.order.target { push.channels[name]?.inFlight = planned.order.id }
        }
        forgetOrphans(at: now)
        if let holders { forgetDevices(allBut: holders, at: now) }
        for id in unanswered.map(\.order.id) {
            guard let planned = push.pushes[id], planned.outcome == nil else { continue }
            if planned.order.isHarmlessToRepeat, planned.order.worthUntil > now.wall, !isForCardThatIsOver(planned) {
                effects.append(.push(planned.order))
            } else {
                pushAnswered(id, .unknown("the relay ended before it had an answer"), at: now)
            }
        }
        resumeChannels(at: now)
        resumeAlerts()
        for key in push.devices.keys.sorted() { lookAtEverything(of: key, at: now) }
        // Those whose session was removed with the last commit before the relay ended.
        for key in push.cards.keys.sorted() where key.sessionKey.map({ sessions[$0]?.committed == nil }) == true {
            serve(key, at: now)
        }
    }

    /// The person has swiped the card away meanwhile: where it listened, there may be nothing any more.
    private func isForCardThatIsOver(_ planned: PlannedPush) -> Bool {
        guard let card = planned.card.flatMap({ push.cards[$0] }) else { return false }
        return switch planned.order.purpose {
        case .update, .end: card.stage == .ended && !card.isEndOwed
        case .start, .alert, .channel: false
        }
    }

    /// What belongs to devices that were forgotten with the last commit before the relay ended.
    private mutating func forgetOrphans(at now: Instant) {
        for key in push.cards.keys.sorted() where push.devices[key.device] == nil { forgetCard(key, at: now) }
        for key in push.pushesOf.keys.sorted() where push.devices[key] == nil { forgetPushes(of: key) }
    }

    /// Where the wall clock is set, what the planner waits for moves with it: nothing comes sooner than it was meant to, or later.
    mutating func followClock(at now: Instant) {
        let offset = now.wall - now.uptime
        let jump = offset - push.clockOffset
        guard abs(jump) >= PushPolicy.clockJump else { return }
        push.clockOffset = offset
        for key in push.devices.keys { push.devices[key]?.move(by: jump) }
        moveChannels(by: jump)
        for key in push.cards.keys.sorted() {
            guard var card = push.cards[key] else { continue }
            card.move(by: jump)
            // Quiet hours are by the clock itself: looked at again, though no sooner than who is there can say so.
            if push.devices[key.device]?.device.quiet != nil {
                card.rings = card.rings.mapValues { min($0, now.wall + PushPolicy.grace) }
            }
            push.cards[key] = card
            serveRings(key, at: now)
        }
        for key in push.devices.keys.sorted() { serveAlerts(of: key, at: now) }
    }

    /// Whatever concerns this device, as it is now.
    mutating func lookAtEverything(of device: DeviceKey, at now: Instant) {
        for key in sessions.keys.filter({ $0.workspace == device.workspace }).sorted() { look(at: key, for: device, at: now) }
        lookAtAggregate(for: device, at: now)
        serveAlerts(of: device, at: now)
    }

    /// After a commit: what these sessions look like now, for every device.
    mutating func lookForDevices(at keys: [SessionKey], at now: Instant) {
        guard !push.devicesOf.isEmpty else { return }
        for key in keys {
            for device in devices(of: key.workspace) { look(at: key, for: device, at: now) }
        }
        for workspace in Set(keys.map(\.workspace)).sorted(by: { $0.rawValue < $1.rawValue }) {
            for device in devices(of: workspace) { lookAtAggregate(for: device, at: now) }
        }
    }

    /// In an order that is the same each time.
    func devices(of workspace: WorkspaceID) -> [DeviceKey] {
        (push.devicesOf[workspace] ?? []).map { DeviceKey(workspace: workspace, device: $0) }.sorted()
    }

    private mutating func look(at key: SessionKey, for device: DeviceKey, at now: Instant) {
        guard let view = sessions[key]?.committed, push.devices[device] != nil else { return }
        let card = CardKey(device: device, session: key.session)
        // What is over, and was never shown here, needs nothing.
        if push.cards[card] == nil {
            guard view.state.summary.isLive else { return }
            push.cards[card] = Card()
        }
        lookForRings(card, view, at: now)
        lookAtCard(card, at: now)
    }

    /// Retention removed the session: its cards are kept until they have had their end.
    mutating func leaveCards(of key: SessionKey, at now: Instant) {
        for device in devices(of: key.workspace) {
            let card = CardKey(device: device, session: key.session)
            guard push.cards[card] != nil else { continue }
            push.cards[card]?.rung = []
            push.cards[card]?.seen = []
            stageRecord(of: card)
            serveRings(card, at: now)
            serve(card, at: now)
        }
    }

    mutating func forgetCard(_ key: CardKey, at now: Instant) {
        guard var card = push.cards.removeValue(forKey: key) else { return }
        letGoOfChannel(of: &card, at: now)
        effects.append(.cancelTimer(.card(key.workspace, key.device.device, key.session)))
        if !card.rings.isEmpty, let session = key.session {
            effects.append(.cancelTimer(.rings(key.workspace, key.device.device, session)))
        }
        staging.records.append(PushRecord(workspace: key.workspace, kind: .card, name: key.name, bytes: nil))
    }
}

/// A command that is answered when its records are on disk.
struct RecordWaiter {
    let peer: PeerID
    let command: CommandID
}

extension Reply {
    static let noSuchDevice = Reply.failed(.notFound, "there is no such device")
}

extension Card {
    /// As clients see it.
    func shown(as key: CardKey) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("card", id)
            writer.field("session", key.session)
            writer.field("state", stage == .active ? state.rawValue : stage.rawValue)
            writer.field("startedAt", startedAt)
            writer.field("updatedAt", sentAt)
            writer.field("hasToken", token != nil || channel != nil)
        }
    }
}

extension Summary {
    /// Something may still happen by itself.
    var isLive: Bool { endedAt == nil && status != .completed && status != .failed }
    /// The agent is at work, or waits for a person to go on.
    var isAtWork: Bool {
        switch status {
        case .starting, .running, .waitingApproval, .waitingAnswer: endedAt == nil
        case .idle, .completed, .failed, .stale: false
        }
    }
}
