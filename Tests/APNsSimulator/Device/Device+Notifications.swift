internal import RelayProtocol

/// Ordinary notifications, by the notification centre's rules.
extension Device {
    /// Number of notifications kept; beyond it the oldest are removed.
    static let notificationsMax = 500

    mutating func show(_ push: Push, of app: InstalledApp, at now: Int64) throws(DropError) -> DeviceOutcome {
        let aps = try APSDictionary(parsing: push.payload)
        guard app.allowsNotifications else { throw DropError(.notAllowed, "notifications are switched off") }
        var text = try Self.text(of: aps)
        guard !text.title.isEmpty || !text.body.isEmpty else { throw DropError(.nothingToShow) }
        var isRewritten = false
        // The extension runs for alerts only, and only if the payload asks for it.
        if try aps.seconds("mutable-content") == 1, let rewritten = app.serviceExtension?.rewrite(payload: push.payload) {
            (text.title, text.body) = rewritten
            isRewritten = true
        }
        let level = try level(of: aps, app)
        let isQuiet = level == .passive || hasFocus && level == .active
        let shown = ShownNotification(
            bundle: app.bundle, title: text.title, subtitle: text.subtitle, body: text.body,
            actions: aps.text("category").flatMap { app.categories[$0] } ?? [], category: aps.text("category"),
            thread: aps.text("thread-id"), collapseID: push.collapseID, level: level,
            rang: !isQuiet && aps.json.optional("sound") != nil, relevance: try aps.number("relevance-score") ?? 0,
            isRewritten: isRewritten, at: now, payload: push.payload)
        if foreground == app.bundle, !app.presentsInForeground { return DeviceOutcome(.foreground) }
        let replaces = push.collapseID != nil && notifications.contains { $0.isSame(as: shown) }
        if replaces { notifications.removeAll { $0.isSame(as: shown) } }
        notifications.append(shown)
        if notifications.count > Self.notificationsMax { notifications.removeFirst() }
        return DeviceOutcome(replaces ? .replaced : isQuiet ? .quiet : .alerted, detail: push.collapseID)
    }

    mutating func wake(_ app: InstalledApp, at now: Int64) throws(DropError) -> DeviceOutcome {
        guard !app.isKilled else { throw DropError(.appNotRunning) }
        var budget = wakeBudgets[app.bundle] ?? limits.wakes
        let isWithin = budget.take(at: now)
        wakeBudgets[app.bundle] = budget
        guard isWithin else { throw DropError(.overBudget, "background pushes") }
        return DeviceOutcome(.woken)
    }

    /// Texts of an alert, which is a string or an object.
    private static func text(of aps: APSDictionary) throws(DropError) -> (title: String, subtitle: String, body: String) {
        guard let alert = aps.json.optional("alert") else { throw DropError(.nothingToShow) }
        if let text = try? alert.string() { return ("", "", text) }
        guard alert.isObject else { throw DropError(.badField, "alert is neither a string nor an object") }
        return (
            APSDictionary.text(alert, "title"), APSDictionary.text(alert, "subtitle"), APSDictionary.text(alert, "body")
        )
    }

    /// The interruption level. Critical needs an entitlement that no app has here; time-sensitive needs the person's permission.
    private func level(of aps: APSDictionary, _ app: InstalledApp) throws(DropError) -> ShownNotification.Level {
        guard let name = aps.text("interruption-level") else { return .active }
        guard let level = ShownNotification.Level(rawValue: name) else { throw DropError(.badField, "interruption-level") }
        switch level {
        case .critical: return .active
        case .timeSensitive: return app.allowsTimeSensitive ? .timeSensitive : .active
        case .passive, .active: return level
        }
    }
}

extension ShownNotification {
    fileprivate func isSame(as other: ShownNotification) -> Bool {
        bundle == other.bundle && collapseID != nil && collapseID == other.collapseID
    }
}
