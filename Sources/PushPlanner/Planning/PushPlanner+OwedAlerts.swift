import RelayModel
import RelayProtocol

/// Alerts about past events: each is retried until its service has accepted it, or it is not worth sending any more.
extension PushPlanner {
    /// Returns the alert's number.
    @discardableResult
    mutating func owe(_ alert: OwedAlert, to key: DeviceKey, at now: Instant) -> Int64? {
        guard devices[key] != nil else { return nil }
        lastAlert += 1
        var alert = alert
        alert.number = lastAlert
        devices[key]?.alerts.add(alert, at: now.wall)
        stageRecord(of: key)
        serveAlerts(of: key, at: now)
        return alert.number
    }

    /// Sends alerts that are due, and arms the timer for the next attempt.
    mutating func serveAlerts(of key: DeviceKey, at now: Instant) {
        guard devices[key]?.alerts.isEmpty == false else { return armDigest(of: key, at: now) }
        letGoOfAlerts(of: key, at: now)
        guard let device = devices[key] else { return }
        let timer = PlannerTimer.alerts(key.workspace, key.device)
        guard !device.alerts.waiting.isEmpty, device.device.address.alerts != nil else {
            orders.append(.cancelTimer(timer))
            return armDigest(of: key, at: now)
        }
        let dueAt = max(device.alerts.dueAt, presences.until(key, at: now) ?? 0)
        guard dueAt <= now.wall else {
            orders.append(.armTimer(timer, after: dueAt - now.wall))
            return
        }
        let next = device.alerts.next
        guard !next.isEmpty else { return }
        let text = settings.app(of: device.device).map(device.text)
        for alert in next {
            guard let push = planAlert(alert.asWanted(text), to: key, at: now) else {
                orders.append(.armTimer(timer, after: PushPolicy.retryInterval))
                if !pushes.hasRoom(for: key) { crowd.add(.alerts, of: key) }
                break
            }
            devices[key]?.alerts.began(alert.number, with: push)
        }
        stageRecord(of: key)
    }

    /// Removes alerts that are no longer wanted, such as those about a session that a person is looking at.
    private mutating func letGoOfAlerts(of key: DeviceKey, at now: Instant) {
        guard var device = devices[key] else { return }
        let isPresent = presences.until(key, at: now) != nil
        // No alert here asks for an answer, so a digest or quiet hours hold all of them back.
        let isSilent = device.device.gathering != nil || device.quietUntil(now.wall, settings) != nil
        let known = device.device
        // The device may since have been registered with another service.
        let takesBack = settings.channel(of: known)?.takesBack(on: known) == true
        let hasChanged = device.alerts.letGo(isSilent: isSilent, at: now.wall) { alert in
            guard let session = alert.alert.session else { return true }
            guard takesBack || !alert.isSettlement else { return false }
            let name = SessionKey(workspace: key.workspace, session: session)
            let project = sight.sessions[name]?.state.summary.hostProject
            return known.takes(alert.kind, about: session, of: project, at: now.wall) && !isPresent
        }
        guard hasChanged else { return }
        devices[key] = device
        stageRecord(of: key)
    }

    mutating func alertAnswered(_ planned: PlannedPush, _ outcome: PushOutcome, at now: Instant) {
        guard devices[planned.key]?.alerts.answered(planned.intent.id, outcome, at: now.wall) == true else { return }
        if isToldSince(planned) { devices[planned.key]?.alerts.forgetFailures() }
        stageRecord(of: planned.key)
        serveAlerts(of: planned.key, at: now)
    }

    /// Called after a start, once pushes without an outcome have one or are being sent again.
    mutating func resumeAlerts() {
        let underWay = Set(pushes.unanswered.map(\.intent.id))
        for key in devices.keys { devices[key]?.alerts.resume(after: &lastAlert, underWay: underWay) }
    }

    /// Removes alerts about events that are not on disk. Returns the pushes that were planned for them.
    mutating func takeBackAlerts(_ tied: [DeviceKey: Set<Int64>]) -> Set<PushID> {
        var planned: Set<PushID> = []
        for (key, numbers) in tied {
            planned.formUnion(devices[key]?.alerts.takeBack(numbers) ?? [])
            for _ in counted.take(numbers, of: key) { devices[key]?.alerts.takeBackCount(of: .budget) }
        }
        for id in planned { pushes.takeBack(id) }
        return planned
    }
}
