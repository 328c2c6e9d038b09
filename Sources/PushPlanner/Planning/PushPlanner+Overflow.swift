import RelayModel
import RelayProtocol

/// Approvals and questions beyond those that a device shows one by one: one notification counts them, and the oldest gets its own
/// as soon as there is a place.
extension PushPlanner {
    /// The requests that wait for a device's person, by how they rang there.
    fileprivate struct Waiting {
        struct Asked {
            let key: CardKey
            let approval: Approval

            var name: CallName { CallName(session: approval.session, approval: approval.id) }
        }

        /// Number of approvals with a notification of their own.
        var shown = 0
        /// Approvals in the last count, oldest first.
        var counted: [Asked] = []
        /// Approvals that ring with the next count, oldest first.
        var due: [Asked] = []

        /// Requests without a notification of their own.
        var more: [Asked] {
            let names = Set(counted.map(\.name))
            return counted + due.filter { !names.contains($0.name) }
        }
        var places: Int { PlannerLimits.shownOneByOneMax - shown }
    }

    private func waiting(on key: DeviceKey, at now: Instant) -> Waiting {
        var waiting = Waiting()
        guard let device = devices[key] else { return waiting }
        let isPresent = presences.until(key, at: now) != nil
        for session in device.askingSessions {
            let card = CardKey(device: key, session: session)
            guard let known = cards[card], let name = card.sessionKey, let view = sight.sessions[name] else { continue }
            for id in known.rung.union(known.rings.keys) {
                guard let approval = view.approvals[id], approval.stage == .pending, wants(approval, of: view, card) else {
                    continue
                }
                let asked = Waiting.Asked(key: card, approval: approval)
                if known.isShown(id) {
                    waiting.shown += 1
                    continue
                }
                if known.isCounted(id) { waiting.counted.append(asked) }
                let isQuiet = device.quietUntil(approval, now.wall, settings) != nil
                guard !isQuiet, let due = known.rings[id], due <= now.wall, isToRemind(of: id, known, at: now),
                    !sight.isOver(approval, in: name, at: now)
                else { continue }
                let isSpared = isPresent && known.seen.contains(id) || isBeingCalled(id, card) || isRinging(for: id, card)
                if !isSpared { waiting.due.append(asked) }
            }
        }
        waiting.counted.sort(by: Waiting.Asked.isOlder)
        waiting.due.sort(by: Waiting.Asked.isOlder)
        return waiting
    }

    /// False if it is in the last count, and only waits for a notification of its own.
    private func isToRemind(of id: ApprovalID, _ card: Card, at now: Instant) -> Bool {
        guard card.isCounted(id) else { return true }
        return card.rungAt[id]?.next(settings).map { $0 <= now.wall } ?? false
    }

    /// True if it has its own notification or may get one. Requests that are counted already go first.
    func hasPlace(_ id: ApprovalID, _ key: CardKey, at now: Instant) -> Bool {
        guard let card = cards[key], !card.isShown(id) else { return true }
        if devices[key.device]?.overflow.isGathering == true, !card.isCounted(id) { return false }
        // Counts no further than needed, and only those that rang: this runs for each ring of a burst.
        let (rung, most) = (cards.rung(on: key.device), PlannerLimits.shownOneByOneMax)
        let shown = waitingCount(of: rung.shown, on: key.device, atMost: most)
        guard shown < most, !card.isCounted(id) else { return shown < most }
        return waitingCount(of: rung.counted, on: key.device, atMost: most - shown) < most - shown
    }

    /// How many of these still wait for the device's person, up to `most`.
    private func waitingCount(
        of names: [SessionID: Set<ApprovalID>], on device: DeviceKey, atMost most: Int
    ) -> Int {
        var count = 0
        for (session, ids) in names {
            let card = CardKey(device: device, session: session)
            guard let name = card.sessionKey, let view = sight.sessions[name] else { continue }
            for id in ids {
                guard let approval = view.approvals[id], approval.stage == .pending, wants(approval, of: view, card) else {
                    continue
                }
                count += 1
                if count == most { return count }
            }
        }
        return count
    }

    mutating func ringWithOthers(for id: ApprovalID, _ key: CardKey, at now: Instant) {
        guard let card = cards[key] else { return }
        guard isToRemind(of: id, card, at: now) else {
            cards[key]?.rings[id] = card.rungAt[id]?.next(settings)
            return
        }
        guard let due = devices[key.device]?.overflow.due(rings: true, at: now.wall) else { return }
        guard due <= now.wall else {
            cards[key]?.rings[id] = due
            return
        }
        // Without room for a push, each ring of a burst would count all requests in vain.
        if pushes.hasRoom(for: key.device) { serveOverflow(of: key.device, at: now) }
        if let due = cards[key]?.rings[id], due <= now.wall { waitForRoom(toRingFor: id, key, at: now) }
    }

    mutating func overflowIsDue(on key: DeviceKey, at now: Instant) {
        for session in (devices[key]?.askingSessions ?? []).sorted(by: { $0.rawValue < $1.rawValue }) {
            serveRings(CardKey(device: key, session: session), at: now)
        }
        serveOverflow(of: key, at: now)
    }

    /// Counts the requests again, and notifies the device if the count has changed: with a ring if some have not rung, else
    /// silently.
    mutating func serveOverflow(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], device.device.address.alerts != nil else { return }
        let waiting = waiting(on: key, at: now)
        for asked in waiting.counted.prefix(max(0, waiting.places)) { promote(asked, at: now) }
        let more = waiting.more
        let count = Overflow.Count(more: Int64(more.count), all: Int64(more.count + waiting.shown))
        let isNews = count.more > 0 ? device.overflow.told != count : device.overflow.told != nil
        let rings = !waiting.due.isEmpty
        guard isNews || rings, let due = devices[key]?.overflow.due(rings: rings, at: now.wall) else {
            if let due = devices[key]?.overflow.dueAt, due <= now.wall { devices[key]?.overflow.rest() }
            return
        }
        guard due <= now.wall else {
            orders.append(.armTimer(.overflow(key.workspace, key.device), after: due - now.wall))
            return
        }
        if !rings {
            // It would replace one that is to ring; its outcome leads here again.
            if overflowPushes(of: key).contains(where: { $0.outcome == nil }) { return }
            guard presences.until(key, at: now) == nil,
                settings.channel(of: device.device)?.takesBack(on: device.device) == true
            else {
                devices[key]?.overflow.spare(count)
                return stageRecord(of: key)
            }
        }
        guard planAlert(alert(count, more, ringing: waiting.due, on: device, at: now), to: key, at: now) != nil else {
            orders.append(.armTimer(.overflow(key.workspace, key.device), after: PushPolicy.retryInterval))
            return
        }
        for asked in waiting.due {
            cards[asked.key]?.rang(for: asked.approval.id, isCounted: true, at: now.wall, settings)
            stageRecord(of: asked.key)
        }
        devices[key]?.overflow.tell(count, rings: rings, at: now.wall)
        stageRecord(of: key)
    }

    private func overflowPushes(of key: DeviceKey) -> [PlannedPush] {
        pushes.ids(of: key).compactMap { pushes[$0] }.filter(\.isOfOverflow)
    }

    /// Gives a request its own notification. Not at once, because whatever made room may settle it, too.
    private mutating func promote(_ asked: Waiting.Asked, at now: Instant) {
        let due = now.wall + max(PushPolicy.settle, grace(of: asked.key, at: now))
        guard let session = asked.key.session, cards[asked.key]?.rings[asked.approval.id].map({ $0 > due }) ?? true else {
            return
        }
        cards[asked.key]?.rings[asked.approval.id] = due
        let next = cards[asked.key]?.rings.values.min() ?? due
        orders.append(.armTimer(.rings(asked.key.workspace, asked.key.device.device, session), after: max(1, next - now.wall)))
    }

    private func alert(
        _ count: Overflow.Count, _ more: [Waiting.Asked], ringing due: [Waiting.Asked], on device: RegisteredDevice,
        at now: Instant
    ) -> Alert {
        let questions = more.count { $0.approval.alertKind == .question }
        let text = AlertText.waiting(more: count.more, all: count.all, questions: Int64(questions), device.words)
        var alert = Alert(
            kind: !more.isEmpty && questions == more.count ? .question : .approval, text: text, cover: text,
            level: due.isEmpty ? .passive : .timeSensitive, thread: Overflow.name, replaces: Overflow.name, session: nil)
        alert.calls = due.map(\.name)
        if !due.isEmpty { alert.worthUntil = worth(ofRing: 1, device, at: now) }
        return alert
    }

    mutating func overflowAnswered(_ planned: PlannedPush, _ outcome: PushOutcome, at now: Instant) {
        let key = planned.key
        let isLast = overflowPushes(of: key).last?.intent.id == planned.intent.id
        let hasFailed =
            isLast
            ? devices[key]?.overflow.answered(outcome, isWithdrawn: planned.isWithdrawn, at: now.wall)
            : devices[key]?.overflow.earlierAnswered(outcome)
        if hasFailed == true {
            let rung = Set(planned.rings)
            for asked in waiting(on: key, at: now).counted
            where rung.contains(asked.name) && !hasLaterRing(asked.name, than: planned) {
                cards[asked.key]?.ringAgain(for: asked.approval.id, at: now.wall)
                stageRecord(of: asked.key)
                serveRings(asked.key, at: now)
            }
        }
        stageRecord(of: key)
        serveOverflow(of: key, at: now)
    }

    /// A later push that rings for it has arrived, or may still.
    func hasLaterRing(_ name: CallName, than planned: PlannedPush) -> Bool {
        pushes.rings(for: name, on: planned.key).contains {
            $0.intent.id > planned.intent.id && $0.outcome?.isAccepted != false
        }
    }
}

extension PushPlanner.Waiting.Asked {
    fileprivate static func isOlder(_ one: Self, _ other: Self) -> Bool {
        (one.approval.requestedAt, one.name) < (other.approval.requestedAt, other.name)
    }
}

extension PlannedPush {
    /// True if it counts the requests that the device does not show one by one.
    var isOfOverflow: Bool { intent.purpose == .alert && intent.replaces == Overflow.name }
}
