import RelayModel
import RelayProtocol

/// Quiet hours, and one notification for all that was held back in them.
extension PushPlanner {
    /// When the present quiet hours end, in milliseconds since 1970; nil: they are not now.
    func quietUntil(_ device: RegisteredDevice, at now: Int64) -> Int64? {
        guard let quiet = device.device.quiet, quiet.from != quiet.to,
            let minute = settings.localMinute(quiet.timeZone, now)
        else {
            return nil
        }
        let isWithin =
            quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
        guard isWithin else { return nil }
        let left = (quiet.to - minute + 1_440) % 1_440
        // On the minute. A clock that is changed meanwhile makes us look again then, no more.
        return now - now % 60_000 + left * 60_000
    }

    /// One at a time: what is owed goes first.
    mutating func armDigest(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], !device.heldBack.isEmpty, device.owed.isEmpty else { return }
        let end = max(quietUntil(device, at: now.wall) ?? now.wall, presences.until(key, at: now) ?? 0)
        orders.append(.armTimer(.digest(key.workspace, key.device), after: max(1, end - now.wall)))
    }

    /// One notification for all that was held back.
    mutating func tellDigest(of key: DeviceKey, at now: Instant) {
        guard let device = devices[key], !device.heldBack.isEmpty, device.owed.isEmpty else { return }
        guard quietUntil(device, at: now.wall) == nil, presences.until(key, at: now) == nil else {
            return armDigest(of: key, at: now)
        }
        let counts = AlertKind.allCases.compactMap { kind in
            device.heldBack[kind].map { "\($0) \($0 == 1 ? kind.one : kind.many)" }
        }
        let text = AlertText(
            title: "Meanwhile", subtitle: nil, body: counts.joined(separator: ", "), isWhole: false)
        let alert = OwedAlert(
            .finished, text, cover: text, chosen: device.device.text, level: .passive, thread: "digest", collapse: "digest",
            session: nil, at: now.wall)
        devices[key]?.heldBack = [:]
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
