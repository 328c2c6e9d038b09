import RelayProtocol

/// Alerts about what has happened: each is tried until APNs has taken it, for as long as it is worth that.
extension Relay {
    /// Returns its number.
    @discardableResult
    mutating func owe(_ alert: OwedAlert, to key: DeviceKey, at now: Instant) -> Int64? {
        guard var device = push.devices[key] else { return nil }
        push.lastAlert += 1
        var alert = alert
        alert.number = push.lastAlert
        // A later one of the same notification takes the place of one that nobody has; each crossing of a budget is news of its own.
        if alert.kind != .budget {
            device.owed.removeAll { $0.push == nil && $0.kind == alert.kind && $0.collapse == alert.collapse }
        }
        if device.owed.count(where: { $0.push == nil }) >= Limits.owedAlertsMax,
            let oldest = device.owed.firstIndex(where: { $0.push == nil })
        {
            device.heldBack[device.owed.remove(at: oldest).kind, default: 0] += 1
        }
        device.owed.append(alert)
        push.devices[key] = device
        stageRecord(of: key)
        serveAlerts(of: key, at: now)
        return alert.number
    }

    /// Sends what is due, and arms the timer for the next try.
    mutating func serveAlerts(of key: DeviceKey, at now: Instant) {
        guard push.devices[key]?.owed.isEmpty == false else { return armDigest(of: key, at: now) }
        letGoOfAlerts(of: key, at: now)
        guard let device = push.devices[key] else { return }
        let waiting = device.owed.filter { $0.push == nil }
        let timer = RelayTimer.alerts(key.workspace, key.device)
        guard let first = waiting.first, device.device.alertToken != nil else {
            effects.append(.cancelTimer(timer))
            return armDigest(of: key, at: now)
        }
        let dueAt = max(device.alertsDueAt, presentUntil(key, at: now) ?? 0)
        guard dueAt <= now.wall else {
            effects.append(.armTimer(timer, after: dueAt - now.wall))
            return
        }
        // After a failure one of them finds out whether the way is free.
        let isTrial = device.alertTries > 0
        guard !isTrial || waiting.count == device.owed.count else { return }
        for alert in isTrial ? [first] : waiting {
            guard let id = planAlert(Alert(alert, for: device, pushing), to: key, at: now),
                let place = push.devices[key]?.owed.firstIndex(where: { $0.number == alert.number })
            else {
                effects.append(.armTimer(timer, after: PushPolicy.retryInterval))
                break
            }
            push.devices[key]?.owed[place].push = id
        }
        stageRecord(of: key)
    }

    /// What nobody wants any more, has before their eyes, or shall hear of when quiet hours are over.
    private mutating func letGoOfAlerts(of key: DeviceKey, at now: Instant) {
        guard var device = push.devices[key] else { return }
        let isPresent = presentUntil(key, at: now) != nil
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
        push.devices[key] = device
        stageRecord(of: key)
    }

    mutating func alertAnswered(_ planned: PlannedPush, _ outcome: PushOutcome, at now: Instant) {
        let key = planned.key
        guard var device = push.devices[key], let place = device.owed.firstIndex(where: { $0.push == planned.order.id }) else {
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
        push.devices[key] = device
        stageRecord(of: key)
        serveAlerts(of: key, at: now)
    }

    /// After the pushes without an answer have one, or are under way again.
    mutating func resumeAlerts() {
        for key in push.devices.keys {
            for place in push.devices[key]?.owed.indices ?? 0..<0 {
                push.lastAlert += 1
                push.devices[key]?.owed[place].number = push.lastAlert
                if let id = push.devices[key]?.owed[place].push, push.pushes[id]?.outcome != nil || push.pushes[id] == nil {
                    push.devices[key]?.owed[place].push = nil
                }
            }
        }
    }

    /// What they tell of is not on disk. Returns the pushes that were planned for them.
    mutating func takeBackAlerts(_ tied: [DeviceKey: Set<Int64>]) -> Set<PushID> {
        var pushes: Set<PushID> = []
        for (key, numbers) in tied {
            pushes.formUnion((push.devices[key]?.owed ?? []).filter { numbers.contains($0.number) }.compactMap(\.push))
            push.devices[key]?.owed.removeAll { numbers.contains($0.number) }
        }
        for id in pushes {
            guard let planned = push.pushes.removeValue(forKey: id) else { continue }
            push.pushesOf[planned.key]?.removeAll { $0 == id }
        }
        return pushes
    }
}

extension Relay.Alert {
    fileprivate init(_ owed: OwedAlert, for device: RegisteredDevice, _ settings: PushSettings) {
        let chosen = settings.profiles[device.device.profile].map { device.text($0) }
        self.init(
            kind: owed.kind, text: owed.chosen == chosen ? owed.text : owed.cover, level: owed.level, thread: owed.thread,
            collapse: owed.collapse, session: owed.session, cover: owed.cover, worthUntil: owed.worthUntil)
    }
}
