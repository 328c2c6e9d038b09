import RelayModel
import RelayProtocol

/// Alerts about what has happened: each is tried until APNs has taken it, for as long as it is worth that.
extension PushPlanner {
    /// Returns its number.
    @discardableResult
    mutating func owe(_ alert: OwedAlert, to key: DeviceKey, at now: Instant) -> Int64? {
        guard var device = devices[key] else { return nil }
        lastAlert += 1
        var alert = alert
        alert.number = lastAlert
        // A later one of the same notification takes the place of one that nobody has; each crossing of a budget is news of its own.
        if alert.kind != .budget {
            device.owed.removeAll { $0.push == nil && $0.kind == alert.kind && $0.collapse == alert.collapse }
        }
        if device.owed.count(where: { $0.push == nil }) >= PlannerLimits.owedAlertsMax,
            let oldest = device.owed.firstIndex(where: { $0.push == nil })
        {
            device.heldBack[device.owed.remove(at: oldest).kind, default: 0] += 1
        }
        device.owed.append(alert)
        devices[key] = device
        stageRecord(of: key)
        serveAlerts(of: key, at: now)
        return alert.number
    }

    /// Sends what is due, and arms the timer for the next try.
    mutating func serveAlerts(of key: DeviceKey, at now: Instant) {
        guard devices[key]?.owed.isEmpty == false else { return armDigest(of: key, at: now) }
        letGoOfAlerts(of: key, at: now)
        guard let device = devices[key] else { return }
        let waiting = device.owed.filter { $0.push == nil }
        let timer = PlannerTimer.alerts(key.workspace, key.device)
        guard let first = waiting.first, device.device.alertToken != nil else {
            orders.append(.cancelTimer(timer))
            return armDigest(of: key, at: now)
        }
        let dueAt = max(device.alertsDueAt, presences.until(key, at: now) ?? 0)
        guard dueAt <= now.wall else {
            orders.append(.armTimer(timer, after: dueAt - now.wall))
            return
        }
        // After a failure one of them finds out whether the way is free.
        let isTrial = device.alertTries > 0
        guard !isTrial || waiting.count == device.owed.count else { return }
        for alert in isTrial ? [first] : waiting {
            guard let id = planAlert(Alert(alert, for: device, settings), to: key, at: now),
                let place = devices[key]?.owed.firstIndex(where: { $0.number == alert.number })
            else {
                orders.append(.armTimer(timer, after: PushPolicy.retryInterval))
                break
            }
            devices[key]?.owed[place].push = id
        }
        stageRecord(of: key)
    }

    /// What nobody wants any more, has before their eyes, or shall hear of when quiet hours are over.
    private mutating func letGoOfAlerts(of key: DeviceKey, at now: Instant) {
        guard var device = devices[key] else { return }
        let isPresent = presences.until(key, at: now) != nil
        let isQuiet = quietUntil(device, at: now.wall) != nil
        let before = device.owed.count
        for alert in device.owed where alert.push == nil {
            let isWanted =
                alert.session.map {
                    device.device.kinds.contains(alert.kind) && !device.device.muted.contains($0) && !isPresent
                }
                ?? true
            let isHeldBack = isQuiet && alert.level != .passive
            if isWanted, alert.worthUntil > now.wall, !isHeldBack { continue }
            device.owed.removeAll { $0.number == alert.number }
            if isWanted, isHeldBack { device.heldBack[alert.kind, default: 0] += 1 }
        }
        guard device.owed.count != before else { return }
        devices[key] = device
        stageRecord(of: key)
    }

    mutating func alertAnswered(_ planned: PlannedPush, _ outcome: PushOutcome, at now: Instant) {
        let key = planned.key
        guard var device = devices[key], let place = device.owed.firstIndex(where: { $0.push == planned.order.id }) else {
            return
        }
        device.owed[place].push = nil
        switch outcome {
        case .accepted:
            device.owed.remove(at: place)
            device.alertTries = 0
            device.alertsDueAt = 0
        // Sent again it would be refused again.
        case .refused(.fixRequest, _), .refused(.markProfile, _): device.owed.remove(at: place)
        case .refused, .unknown, .notSent:
            device.alertTries += 1
            device.alertsDueAt = now.wall + PushPolicy.wait(afterTries: device.alertTries)
        }
        devices[key] = device
        stageRecord(of: key)
        serveAlerts(of: key, at: now)
    }

    /// After the pushes without an answer have one, or are under way again.
    mutating func resumeAlerts() {
        for key in devices.keys {
            for place in devices[key]?.owed.indices ?? 0..<0 {
                lastAlert += 1
                devices[key]?.owed[place].number = lastAlert
                if let id = devices[key]?.owed[place].push, pushes[id]?.outcome != nil || pushes[id] == nil {
                    devices[key]?.owed[place].push = nil
                }
            }
        }
    }

    /// What they tell of is not on disk. Returns the pushes that were planned for them.
    mutating func takeBackAlerts(_ tied: [DeviceKey: Set<Int64>]) -> Set<PushID> {
        var planned: Set<PushID> = []
        for (key, numbers) in tied {
            planned.formUnion((devices[key]?.owed ?? []).filter { numbers.contains($0.number) }.compactMap(\.push))
            devices[key]?.owed.removeAll { numbers.contains($0.number) }
        }
        for id in planned { pushes.takeBack(id) }
        return planned
    }
}

extension Alert {
    fileprivate init(_ owed: OwedAlert, for device: RegisteredDevice, _ settings: PushSettings) {
        let chosen = settings.profiles[device.device.profile].map { device.text($0) }
        self.init(
            kind: owed.kind, text: owed.chosen == chosen ? owed.text : owed.cover, level: owed.level, thread: owed.thread,
            collapse: owed.collapse, session: owed.session, cover: owed.cover, worthUntil: owed.worthUntil)
    }
}
