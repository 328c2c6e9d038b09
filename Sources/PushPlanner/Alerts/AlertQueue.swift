import RelayProtocol

/// Alerts of one device about past events. Each is retried until its service has accepted it, or it is not worth sending any more.
/// Alerts beyond the limit, in quiet hours, or to be gathered are only counted, for one digest.
struct AlertQueue {
    /// Alerts that the service has not accepted yet, oldest first.
    private(set) var alerts: [OwedAlert] = []
    /// Number of alerts that were not sent, by kind.
    private(set) var deferred: [AlertKind: Int64] = [:]
    /// Number of calls that rules answered, counted if the person chose so.
    private(set) var ruleAnswers: Int64 = 0
    /// Time of the first deferred alert, in milliseconds since 1970.
    private(set) var deferredSince: Int64?

    // MARK: Not on disk

    /// Consecutive failed pushes …
    private var tries: Int64 = 0
    /// … and the time of the next attempt, in milliseconds since 1970.
    private(set) var dueAt: Int64 = 0
    /// Number of the alert that was deferred last.
    private(set) var counted: Int64?

    init() {}

    init(stored value: JSONValue) throws(WireError) {
        for (key, count) in try value.required("heldBack").members() {
            guard let kind = AlertKind(rawValue: key), !count.isNull else { continue }
            deferred[kind] = try count.integer()
        }
        ruleAnswers = try value.optionalInteger("heldBackRules") ?? 0
        if !isNothingDeferred {
            // Older records lack the time: the digest is due.
            deferredSince = try value.optionalInteger("heldBackSince") ?? 0
        }
        for entry in try value.optional("owed")?.array() ?? [] { alerts.append(try OwedAlert(stored: entry)) }
    }

    func write(to writer: inout JSONWriter) {
        writer.object("heldBack") { writer in
            for kind in AlertKind.allCases {
                if let count = deferred[kind] { writer.raw(dynamic: kind.rawValue, "\(count)".utf8) }
            }
        }
        writer.field("heldBackRules", ruleAnswers > 0 ? ruleAnswers : nil)
        writer.field("heldBackSince", deferredSince)
        writer.array("owed", alerts.map(\.bytes))
    }

    var isEmpty: Bool { alerts.isEmpty }

    /// Alerts without a push under way.
    var waiting: [OwedAlert] { alerts.filter { $0.push == nil } }

    /// Alerts that may be sent now. After a failure only one, to find out whether the service works.
    var next: [OwedAlert] {
        let waiting = waiting
        guard tries > 0 else { return waiting }
        return waiting.count == alerts.count ? Array(waiting.prefix(1)) : []
    }

    /// True if a digest is to be sent: something was deferred, and no single alert waits, as those are sent first.
    var hasDigest: Bool { !isNothingDeferred && alerts.isEmpty }

    private var isNothingDeferred: Bool { deferred.isEmpty && ruleAnswers == 0 }

    // MARK: - As they come and go

    mutating func add(_ alert: OwedAlert, at now: Int64) {
        // A later alert of the same notification replaces one that was not sent. Budget crossings are all kept: each is news of its
        // own.
        alerts.removeAll { $0.push == nil && alert.replaces($0) }
        if alerts.count(where: { $0.push == nil }) >= PlannerLimits.owedAlertsMax,
            let oldest = alerts.firstIndex(where: { $0.push == nil })
        {
            deferAlert(alerts.remove(at: oldest), at: now)
        }
        alerts.append(alert)
    }

    private mutating func deferAlert(_ alert: OwedAlert, at now: Int64) {
        // A run that has not ended is not counted now. If it has ended when the digest is sent, it is counted then.
        guard !alert.isOfRunThatGoesOn else { return }
        if isNothingDeferred { deferredSince = now }
        deferred[alert.kind, default: 0] += 1
        counted = alert.number
    }

    mutating func deferRuleAnswers(_ count: Int64, at now: Int64) {
        if isNothingDeferred { deferredSince = now }
        ruleAnswers += count
    }

    /// Removes alerts that are unwanted, no longer worth sending, or to be sent silently in the digest. Returns true if any was
    /// removed.
    mutating func letGo(isSilent: Bool, at now: Int64, unless isWanted: (OwedAlert) -> Bool) -> Bool {
        let before = alerts.count
        for alert in waiting {
            let isWanted = isWanted(alert)
            let isDeferred = isSilent && alert.alert.level != .passive
            if isWanted, alert.alert.worthUntil > now, !isDeferred { continue }
            alerts.removeAll { $0.number == alert.number }
            if isWanted, isDeferred { deferAlert(alert, at: now) }
        }
        return alerts.count != before
    }

    mutating func began(_ number: Int64, with push: PushID) {
        if let place = alerts.firstIndex(where: { $0.number == number }) { alerts[place].push = push }
    }

    /// Handles the outcome of a push.
    /// - Returns: false if the push was for none of these alerts.
    mutating func answered(_ push: PushID, _ outcome: PushOutcome, at now: Int64) -> Bool {
        guard let place = alerts.firstIndex(where: { $0.push == push }) else { return false }
        alerts[place].push = nil
        switch outcome {
        case .accepted:
            let taken = alerts.remove(at: place)
            // Earlier alerts of the same notification are obsolete.
            alerts.removeAll { taken.replaces($0) }
            forgetFailures()
        // The service would refuse it again.
        case .refused(.fixRequest, _), .refused(.markProfile, _): alerts.remove(at: place)
        case .refused, .unknown, .notSent:
            // A later alert of the same notification must not be replaced by an earlier one.
            let failed = alerts[place]
            if alerts.contains(where: { $0.replaces(failed) }) { alerts.remove(at: place) }
            tries += 1
            dueAt = now + PushPolicy.wait(afterTries: tries)
        }
        return true
    }

    /// Removes alerts about events that are not on disk. Returns the pushes that were planned for them.
    mutating func takeBack(_ numbers: Set<Int64>) -> [PushID] {
        defer { alerts.removeAll { numbers.contains($0.number) } }
        return alerts.filter { numbers.contains($0.number) }.compactMap(\.push)
    }

    /// Uncounts a deferred alert whose event is not on disk.
    mutating func takeBackCount(of kind: AlertKind) {
        // The digest may have been sent in between.
        guard let count = deferred[kind] else { return }
        deferred[kind] = count > 1 ? count - 1 : nil
        if isNothingDeferred { deferredSince = nil }
    }

    /// Takes the deferred alerts, for the digest.
    mutating func takeDeferred() {
        deferred = [:]
        ruleAnswers = 0
        deferredSince = nil
    }

    /// Makes alerts that wait for their next attempt due now.
    mutating func forgetFailures() {
        tries = 0
        dueAt = 0
    }

    /// Renumbers the alerts after a start of the relay. Only pushes in `underWay` are kept.
    mutating func resume(after last: inout Int64, underWay: Set<PushID>) {
        for place in alerts.indices {
            last += 1
            alerts[place].number = last
            if let push = alerts[place].push, !underWay.contains(push) { alerts[place].push = nil }
        }
    }

    // MARK: - Clocks

    /// Shifts all times when the wall clock is set, so that intervals stay the same.
    mutating func move(by jump: Int64) {
        dueAt = dueAt.moved(by: jump)
        deferredSince = deferredSince?.moved(by: jump)
        for place in alerts.indices { alerts[place].alert.worthUntil = alerts[place].alert.worthUntil.moved(by: jump) }
    }

    /// Limits the times after a start: the clock may have been set while the relay was down.
    mutating func limit(to now: Int64) {
        deferredSince = deferredSince.map { min($0, now) }
        for place in alerts.indices {
            alerts[place].alert.worthUntil = min(alerts[place].alert.worthUntil, now + PushPolicy.alertAge)
        }
    }
}
