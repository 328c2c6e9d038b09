import RelayModel
import RelayProtocol

/// One alert as it goes out.
extension PushPlanner {
    /// Nil where too much waits; the caller comes back.
    mutating func planAlert(_ alert: Alert, to key: DeviceKey, at now: Instant) -> PushID? {
        guard let device = devices[key], let token = device.device.address.alerts,
            let profile = settings.profiles[device.device.profile], pushes.hasRoom(for: key)
        else {
            return nil
        }
        let isWaitedFor = alert.approval != nil
        let age = isWaitedFor ? PushPolicy.codeAge : PushPolicy.alertAge
        // An approval that is pending past its date is one whose date a set clock has overtaken.
        let expiry = alert.approval?.expiresAt ?? .max
        let end = min(expiry > now.wall ? expiry : .max, alert.worthUntil, now.wall + age)
        var order = PushOrder(
            id: PushID(rawValue: 0), workspace: key.workspace, device: key.device, purpose: .alert, session: alert.session,
            bundle: profile.bundle, target: .device(token: token), environment: device.device.address.environment,
            worthUntil: end,
            plannedAt: now.wall)
        order.isEnvironmentProven = device.isEnvironmentProven
        order.topic = profile.bundle
        order.pushType = "alert"
        order.priority = alert.level == .passive ? 5 : 10
        order.expiration = end / 1_000
        order.collapse = alert.collapse
        order.isHarmlessToRepeat = true
        order.tokenRegisteredAt = device.alertTokenAt
        if let approval = alert.approval {
            order.code = PushCode(
                session: approval.session, approval: approval.id, digest: approval.request.digest, expiresAt: end)
        }
        let isSealed = device.device.text == .sealed && alert.session != nil
        let text = isSealed ? alert.cover : alert.text
        if isSealed, let seal = device.device.sealKey {
            order.seal = PushSeal(key: seal, text: alert.text.bytes(withCode: order.code != nil))
        }
        let mayAllow = alert.text.isWhole && alert.approval.map { !$0.request.isCut && !$0.request.isRedacted } == true
        order.payload = Payload.alert(
            profile, kind: alert.kind, text: text, thread: alert.thread, level: alert.level, session: alert.session,
            approval: alert.approval?.id, code: order.code != nil && !isSealed, mayAllow: mayAllow, sealed: isSealed)
        var planned = PlannedPush(order, card: nil)
        planned.mayAllow = mayAllow
        plan(planned)
        return pushes.last
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
