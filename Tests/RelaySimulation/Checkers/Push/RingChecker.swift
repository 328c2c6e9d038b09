import PushPlanner
import RelayModel
import RelayProtocol

/// Checks that an approval rings once on every device that wants it, and again only if APNs may not have it, after an hour, or if
/// the device's address has changed. A request that was counted with others may later get a notification of its own, and a device
/// has only a few of those at a time. Sessions and projects that are muted do not ring, and nothing rings in quiet hours except
/// approvals with risks, if the person wants that.
struct RingChecker {
    private struct Name: Hashable {
        let device: DeviceID
        let approval: ApprovalID
    }

    private struct Ring {
        let push: PushID
        /// True if a restarted relay sends it again, because it has no outcome.
        let isRepeated: Bool
        /// True for an alert, false for a card that rings.
        let isAlert: Bool
        /// True if it was counted with others, without a notification of its own.
        let isCounted: Bool
        /// Expiry, in milliseconds since 1970.
        let worthUntil: Int64
        /// Time at which it was planned, as the relay may remember it: earlier by any setting back of its clock since.
        var rangAt: Int64
        let target: PushIntent.Target
        /// Time of the order by the monotonic clock.
        let orderedAt: Int64
        var outcome: PushOutcome?

        var isLost: Bool { outcome.mayBeUnheard }
    }

    /// First reminder of the policy, in milliseconds, less a minute, because planned pushes wait for the disk.
    private static let reminder: Int64 = 59 * 60_000
    private var rings: [Name: [Ring]] = [:]
    /// Approvals for which cards' pushes ring, on devices without an address for alerts.
    private var calls: [PushID: [ApprovalID]] = [:]

    mutating func forgot(_ device: DeviceID) { rings = rings.filter { $0.key.device != device } }

    mutating func planned(
        _ order: PushIntent, calling approvals: [ApprovalID], to device: Device, committed views: [CardFace.View]
    ) -> String? {
        calls[order.id] = approvals.isEmpty ? nil : approvals
        for id in approvals + (order.code.map { [$0.approval] } ?? []) {
            guard let view = views.first(where: { $0.approvals[id] != nil }), let approval = view.approvals[id],
                approval.stage == .pending
            else { return "push \(order.id.rawValue) rings for \(id), which is not pending" }
            guard Self.wants(approval, of: view, device) else { return "\(device.id) rings for \(id), and does not want to" }
            if Self.isQuiet(device, for: approval, minute: order.plannedAt / 60_000 % 1_440) {
                return "\(device.id) rings for \(id) in its quiet hours"
            }
        }
        return nil
    }

    /// `wall`: the relay's clock, which may have been set back since it planned the push.
    mutating func ordered(_ order: PushIntent, at now: Int64, wall: Int64) -> String? {
        for name in names(of: order) {
            let before = rings[name] ?? []
            if before.contains(where: { $0.push == order.id }) { continue }
            rings[name] =
                before + [
                    Ring(
                        push: order.id, isRepeated: order.isHarmlessToRepeat, isAlert: order.purpose == .alert,
                        isCounted: order.purpose == .alert && order.code == nil,
                        worthUntil: order.worthUntil, rangAt: min(order.plannedAt, wall), target: order.target, orderedAt: now)
                ]
            // The last address for alerts: after a refusal of that, a card rings for the device that is there now.
            let alertTarget = order.purpose == .alert ? order.target : before.last(where: \.isAlert)?.target
            if let heard = before.last(where: {
                !$0.isLost && !($0.isAlert && $0.target != alertTarget) && !($0.isCounted && order.code != nil)
            }),
                max(now - heard.orderedAt, order.plannedAt - heard.rangAt) < Self.reminder
            {
                let pushes = "by push \(order.id.rawValue), and has by push \(heard.push.rawValue)"
                return "\(order.device) rings for \(name.approval) \(pushes)"
            }
        }
        return nil
    }

    mutating func answered(_ order: PushIntent, _ outcome: PushOutcome) {
        for name in names(of: order) {
            guard let place = rings[name]?.firstIndex(where: { $0.push == order.id }) else { continue }
            rings[name]?[place].outcome = outcome
        }
        calls[order.id] = nil
    }

    mutating func clockWasSetBack(by milliseconds: Int64) {
        for (name, list) in rings { for index in list.indices { rings[name]?[index].rangAt -= milliseconds } }
    }

    /// The relay will never learn the outcome of pushes that it does not repeat.
    mutating func relayEnded() {
        for (name, list) in rings {
            for index in list.indices where list[index].outcome == nil && !list[index].isRepeated {
                rings[name]?[index].outcome = .unknown("the relay ended before it had an answer")
            }
        }
    }

    /// The relay repeats pushes without an outcome, unless they have expired or the device has no address for alerts: its token was
    /// dropped while another push was in flight to it.
    mutating func relayStarted(reaching reached: Set<DeviceID>, wall: Int64) {
        for (name, list) in rings {
            for (index, ring) in list.enumerated() where ring.outcome == nil {
                guard ring.worthUntil <= wall || ring.isAlert && !reached.contains(name.device) else { continue }
                rings[name]?[index].outcome = .notRepeated
            }
        }
    }

    private func names(of order: PushIntent) -> [Name] {
        let approvals = order.code.map { [$0.approval] } ?? calls[order.id] ?? []
        return approvals.map { Name(device: order.device, approval: $0) }
    }

    /// The person has not looked for long, and APNs worked: checks that every pending approval has rung.
    func quiet(_ device: Device, _ views: [CardFace.View], minute: Int64) -> String? {
        guard device.address.alerts != nil else { return nil }
        for view in views {
            for approval in view.approvals.values.sorted(by: { $0.id.rawValue < $1.id.rawValue })
            where approval.stage == .pending && Self.wants(approval, of: view, device)
                && !Self.isQuiet(device, for: approval, minute: minute)
            {
                let known = rings[Name(device: device.id, approval: approval.id)] ?? []
                guard known.allSatisfy(\.isLost) else { continue }
                // APNs would refuse it again.
                switch known.last?.outcome {
                case .refused(.fixRequest, _), .refused(.markProfile, _): continue
                default: return "\(device.id) has never rung for \(approval.id), which is pending"
                }
            }
        }
        return nil
    }

    private static func isQuiet(_ device: Device, for approval: Approval, minute: Int64) -> Bool {
        guard let quiet = device.quiet, !(quiet.exceptRisks && !approval.request.risks.isEmpty) else { return false }
        return quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
    }

    private static func wants(_ approval: Approval, of view: CardFace.View, _ device: Device) -> Bool {
        let kind: AlertKind = approval.request.kind == .question ? .question : .approval
        let summary = view.state.summary
        let isOfMutedProject = device.mutedProjects.contains {
            $0.host == summary.host.id && $0.project == summary.project
        }
        return device.kinds.contains(kind) && !device.muted.contains(approval.session) && !isOfMutedProject
    }
}
