import RelayModel
import RelayProtocol

/// One notification for everything that was deferred, in quiet hours or because the person prefers a digest.
extension PushPlanner {
    /// Arms the timer of the digest. Single alerts are sent first.
    mutating func armDigest(of key: DeviceKey, at now: Instant) {
        guard let due = digestDueAt(key, at: now) else { return }
        orders.append(.armTimer(.digest(key.workspace, key.device), after: max(1, due - now.wall)))
    }

    /// In milliseconds since 1970; nil if nothing was deferred, or single alerts are sent first.
    private func digestDueAt(_ key: DeviceKey, at now: Instant) -> Int64? {
        guard let device = devices[key], device.alerts.hasDigest else { return nil }
        return device.digestDueAt(now.wall, settings).map { max($0, presences.until(key, at: now) ?? 0) }
    }

    /// Sends one notification for everything that was deferred.
    mutating func tellDigest(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], let due = digestDueAt(key, at: now) else { return }
        guard due <= now.wall else { return armDigest(of: key, at: now) }
        var counts = AlertKind.allCases.compactMap { kind in
            device.alerts.deferred[kind].map { device.words.happened(kind, Int64($0)) }
        }
        let answered = device.alerts.ruleAnswers
        if answered > 0 { counts.append(device.words.answeredByRules(Int64(answered))) }
        let text = AlertText(
            title: device.words.meanwhile, subtitle: nil, body: counts.joined(separator: ", "), isWhole: false)
        let alert = OwedAlert(
            .finished, text, cover: text, chosen: device.device.text, level: .passive, thread: "digest", replaces: "digest",
            session: nil, at: now.wall)
        devices[key]?.alerts.takeDeferred()
        owe(alert, to: key, at: now)
    }
}
