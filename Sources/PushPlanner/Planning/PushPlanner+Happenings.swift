import RelayModel
import RelayProtocol

/// Other reasons to ring: errors, finished runs, budgets. Each rings once.
extension PushPlanner {
    mutating func ring(_ kind: AlertKind, _ key: CardKey, _ view: SessionView, at now: Instant) {
        ring(kind, key.device, view, replaces: "\(kind.rawValue).\(view.state.summary.session)", at: now)
    }

    /// Reports a continuing run by alerts, because no card shows it any more.
    mutating func tellOfRun(_ key: CardKey, at now: Instant, _ compose: (PushSubject, PushText) -> AlertText) {
        guard let device = devices[key.device], let app = settings.app(of: device.device),
            let subject = subject(of: key, at: now.wall), subject.summary.isAtWork, device.device.address.alerts != nil,
            device.device.takes(.finished, about: subject.summary.session, of: subject.summary.hostProject, at: now.wall)
        else { return }
        let alert = OwedAlert(
            .finished, words(on: subject, app, compose), cover: compose(subject, .generic), chosen: subject.text,
            level: .active,
            thread: subject.summary.session.rawValue, replaces: OwedAlert.running + "\(key.session?.rawValue ?? "all")",
            session: subject.summary.session, at: now.wall)
        owe(alert, to: key.device, at: now)
    }

    /// Rings for a crossing. The alert is in the same batch as the crossing, so that both are on disk or neither.
    mutating func ring(for crossing: BudgetCrossing, _ key: SessionKey, _ view: SessionView, at now: Instant) {
        for device in devices.keys(in: key.workspace) {
            let number = ring(
                .budget, device, view, budgetLevel: crossing.level,
                replaces: "budget.\(crossing.scope?.rawValue ?? "all").\(crossing.level).\(key.session)", at: now)
            guard let number else { continue }
            orders.append(.tie(device, alert: number))
            if devices[device]?.alerts.counted == number { counted.add(number, of: device) }
        }
    }

    /// Rings once. A device whose person is looking is spared, and in quiet hours the alert is counted for the digest. Returns the
    /// alert's number.
    @discardableResult
    private mutating func ring(
        _ kind: AlertKind, _ key: DeviceKey, _ view: SessionView, budgetLevel: Int64? = nil, replaces: String, at now: Instant
    ) -> Int64? {
        let session = view.state.summary.session
        guard let device = devices[key], let app = settings.app(of: device.device),
            device.device.address.alerts != nil,
            device.device.takes(kind, about: session, of: view.state.summary.hostProject, at: now.wall)
        else { return nil }
        var subject = PushSubject(view, for: device, app, at: now.wall)
        if let budgetLevel { subject.budgetLevel = budgetLevel }
        let alert = OwedAlert(
            kind, text(kind, subject, app), cover: cover(kind, subject), chosen: subject.text, level: .active,
            thread: session.rawValue, replaces: replaces, session: session, at: now.wall)
        return owe(alert, to: key, at: now)
    }

    /// True if the device rings for this approval: by an alert, or by its card if it cannot get alerts.
    func wants(_ approval: Approval, of view: SessionView, _ key: CardKey) -> Bool {
        guard let device = devices[key.device] else { return false }
        return device.device.wants(approval.alertKind, about: approval.session, of: view.state.summary.hostProject)
            && (device.device.address.alerts != nil || callsByCard(device))
    }

    func text(
        _ kind: AlertKind, _ subject: PushSubject, _ app: PushApp
    ) -> AlertText {
        let bytesMax = subject.text == .sealed ? Payload.sealedAlertTextBytesMax : Payload.alertTextBytesMax
        return words(on: subject, app) { .compose(kind: kind, subject: $0, textMax: $1, bytesMax: bytesMax) }
    }

    /// Sealed text may contain everything: only the device reads it.
    func words(
        on subject: PushSubject, _ app: PushApp, _ compose: (PushSubject, PushText) -> AlertText
    ) -> AlertText {
        guard subject.text == .sealed else { return compose(subject, app.textMax) }
        var subject = subject
        subject.text = .full
        return compose(subject, .full)
    }

    func cover(_ kind: AlertKind, _ subject: PushSubject) -> AlertText {
        AlertText.compose(kind: kind, subject: subject, textMax: .generic, bytesMax: Payload.alertTextBytesMax)
    }
}
