import RelayModel
import RelayProtocol

/// Planning of one alert.
extension PushPlanner {
    /// Nil if too many pushes wait; the caller tries again.
    mutating func planAlert(_ alert: Alert, to key: DeviceKey, at now: Instant) -> PushID? {
        guard let device = devices[key], let token = device.device.address.alerts,
            let channel = settings.channel(of: device.device), let app = channel.app(named: device.device.profile),
            pushes.hasRoom(for: key)
        else {
            return nil
        }
        let age = alert.approval == nil && alert.calls.isEmpty ? PushPolicy.alertAge : PushPolicy.askedAge
        // A pending approval whose date has passed is due to a clock that was set, so that the date is ignored.
        let expiry = alert.approval?.expiresAt.flatMap { $0 > now.wall ? $0 : nil } ?? .max
        let end = min(expiry, alert.worthUntil, now.wall + age)
        let address = device.device.address
        var intent = PushIntent(
            workspace: key.workspace, device: key.device, service: address.service, purpose: .alert, session: alert.session,
            app: app.id, target: .device(token: token), environment: address.environment, worthUntil: end, plannedAt: now.wall)
        intent.isEnvironmentProven = device.isEnvironmentProven
        intent.urgency = alert.level == .passive ? .whenConvenient : .atOnce
        intent.replaces = alert.replaces
        intent.isHarmlessToRepeat = true
        intent.toldAt = device.alertTokenAt
        if let approval = alert.approval, device.mayDecide {
            intent.code = PushCode(
                session: approval.session, approval: approval.id, digest: approval.request.digest,
                expiresAt: min(expiry, now.wall + PushPolicy.askedAge))
        }
        let isSealed = device.device.text == .sealed && alert.session != nil
        if isSealed, let seal = device.device.sealKey {
            intent.seal = PushSeal(key: seal, text: alert.text.bytes(withCode: intent.code != nil))
        }
        let mayAllow =
            device.mayDecide && alert.text.isWhole
            && alert.approval.map { !$0.request.isCut && !$0.request.isRedacted && !$0.request.needsPasskey } == true
        var whole = AlertContent(
            kind: alert.kind, text: isSealed ? alert.cover : alert.text, thread: alert.thread, replaces: alert.replaces,
            level: alert.level, session: alert.session, approval: alert.approval?.id,
            hasCode: intent.code != nil && !isSealed, mayAllow: mayAllow, isSealed: isSealed)
        if device.device.text.least(app.textMax).showsText {
            whole.details = details(of: alert, in: key.workspace)
            whole.line = summary(of: alert, in: key.workspace)?.line
        }
        let content = channel.fitting(whole, on: device.device)
        intent.payload = channel.payload(of: .alert(content), on: device.device)
        var planned = PlannedPush(intent, card: nil)
        planned.mayAllow = content.mayAllow
        if intent.code == nil, let approval = alert.approval {
            planned.calls = [CallName(session: approval.session, approval: approval.id)]
        } else {
            planned.calls = alert.calls
        }
        return plan(planned)
    }

    private func details(of alert: Alert, in workspace: WorkspaceID) -> AlertContent.Details {
        let summary = summary(of: alert, in: workspace)
        return AlertContent.Details(
            project: summary?.project.map(VisibleText.line), title: summary?.title.map(VisibleText.line),
            risks: alert.approval?.request.risks.map(VisibleText.exactLine) ?? [])
    }

    private func summary(of alert: Alert, in workspace: WorkspaceID) -> Summary? {
        alert.session.flatMap { sight.sessions[SessionKey(workspace: workspace, session: $0)]?.summary }
    }
}

extension AlertText {
    fileprivate func bytes(withCode hasCode: Bool) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("title", title)
            writer.field("subtitle", subtitle)
            writer.field("body", body)
            writer.field("code", hasCode ? "CODE" : nil)
        }
    }
}
