import RelayModel
import RelayProtocol

/// Quiet hours, and one notification for all that was held back in them.
extension PushPlanner {
    /// One at a time: what is owed goes first.
    mutating func armDigest(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], device.alerts.hasDigest else { return }
        let end = max(device.quietUntil(now.wall, settings) ?? now.wall, presences.until(key, at: now) ?? 0)
        orders.append(.armTimer(.digest(key.workspace, key.device), after: max(1, end - now.wall)))
    }

    /// One notification for all that was held back.
    mutating func tellDigest(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], device.alerts.hasDigest else { return }
        guard device.quietUntil(now.wall, settings) == nil, presences.until(key, at: now) == nil else {
            return armDigest(of: key, at: now)
        }
        let counts = AlertKind.allCases.compactMap { kind in
            device.alerts.heldBack[kind].map { "\($0) \($0 == 1 ? kind.one : kind.many)" }
        }
        let text = AlertText(
            title: "Meanwhile", subtitle: nil, body: counts.joined(separator: ", "), isWhole: false)
        let alert = OwedAlert(
            .finished, text, cover: text, chosen: device.device.text, level: .passive, thread: "digest", replaces: "digest",
            session: nil, at: now.wall)
        devices[key]?.alerts.takeHeldBack()
        owe(alert, to: key, at: now)
    }
}

extension AlertKind {
    fileprivate var one: String {
        switch self {
        case .approval: "approval"
        case .question: "question"
        case .error: "error"
        case .finished: "run finished"
        case .budget: "budget crossed"
        }
    }

    fileprivate var many: String {
        switch self {
        case .approval: "approvals"
        case .question: "questions"
        case .error: "errors"
        case .finished: "runs finished"
        case .budget: "budgets crossed"
        }
    }
}
