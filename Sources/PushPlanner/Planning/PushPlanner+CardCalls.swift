import RelayModel
import RelayProtocol

/// Rings by the cards themselves: approvals and questions, on a device whose app has reported no token for alerts. The push that
/// shows one then carries an alert.
extension PushPlanner {
    /// True if the device can ring by its cards only.
    func callsByCard(_ device: RegisteredDevice) -> Bool { device.device.address.alerts == nil && device.device.cards != .off }

    /// The approvals to ring for with this card, soonest first, and when.
    func calls(by key: CardKey, at now: Instant) -> [(name: CallName, dueAt: Int64)] {
        guard let device = devices[key.device], callsByCard(device), let card = cards[key] else { return [] }
        let floor = card.waitingAt + PushPolicy.waitingFloor
        let keys = key.session == nil ? cards.keys.filter { $0.device == key.device && $0.session != nil } : [key]
        let calls = keys.flatMap { key -> [(name: CallName, dueAt: Int64)] in
            guard let session = key.session, let rings = cards[key]?.rings else { return [] }
            return rings.compactMap { approval, due in
                guard let approval = approvalCalledFor(approval, key, at: now) else { return nil }
                let quiet = device.quietUntil(approval, now.wall, settings) ?? 0
                return (CallName(session: session, approval: approval.id), max(due, floor, quiet))
            }
        }
        return calls.sorted { ($0.dueAt, $0.name) < ($1.dueAt, $1.name) }
    }

    func dueCalls(by key: CardKey, at now: Instant) -> [CallName] {
        calls(by: key, at: now).filter { $0.dueAt <= now.wall }.map(\.name)
    }

    /// True if a push of the session's card or of the device's one card rings for it and has no outcome yet.
    func isBeingCalled(_ approval: ApprovalID, _ key: CardKey) -> Bool {
        guard let session = key.session else { return false }
        let name = CallName(session: session, approval: approval)
        return [key, CardKey(device: key.device, session: nil)].contains { card in
            cards[card]?.inFlight.flatMap { pushes[$0] }?.calls.contains(name) == true
        }
    }

    private func approvalCalledFor(_ id: ApprovalID, _ key: CardKey, at now: Instant) -> Approval? {
        guard let session = key.sessionKey, let view = sight.sessions[session], let approval = view.approvals[id],
            approval.stage == .pending, wants(approval, of: view, key), !sight.isOver(approval, in: session, at: now)
        else { return nil }
        return approval
    }

    /// Brief text for the ring, like that of a new card.
    func words(of call: CallName, on device: DeviceKey, _ app: PushApp, at now: Instant) -> AlertText? {
        guard let known = devices[device],
            let view = sight.sessions[SessionKey(workspace: device.workspace, session: call.session)],
            let approval = view.approvals[call.approval]
        else { return nil }
        var subject = PushSubject(view, for: known, app, at: now.wall)
        subject.approval = approval
        return .start(subject, textMax: app.textMax, bytesMax: Payload.startTextBytesMax)
    }

    /// Approvals whose ring the service has accepted are done; the others ring again with the card's next attempt.
    mutating func callsAnswered(_ planned: PlannedPush, _ key: CardKey, _ outcome: PushOutcome, at now: Instant) {
        for call in planned.calls {
            let own = CardKey(device: key.device, session: call.session)
            guard cards[own]?.rings[call.approval] != nil else { continue }
            if outcome.isToRepeat {
                let tries = max(1, cards[key]?.tries ?? 1)
                cards[own]?.rings[call.approval] = now.wall + PushPolicy.wait(afterTries: tries)
            } else {
                cards[own]?.rang(for: call.approval, at: now.wall, settings)
                stageRecord(of: own)
            }
        }
    }
}
