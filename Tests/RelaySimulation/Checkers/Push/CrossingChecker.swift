import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Checks that a device is alerted once when a session crosses a budget's level: again only if APNs may not have the alert, and in
/// the end APNs has it.
struct CrossingChecker {
    /// Device, and scope, level and session as in the notification's name.
    private struct Name: Hashable {
        let device: DeviceID
        let crossing: String
    }

    private struct Alert {
        let push: PushID
        let session: SessionID?
        var outcome: PushOutcome?

        var isTaken: Bool { if case .accepted = outcome { true } else { false } }
        /// True if APNs may not have it.
        var isLost: Bool { outcome != nil && !isTaken }
    }

    private var crossings: [String: Int] = [:]
    private var alerts: [Name: [Alert]] = [:]

    static func isOne(_ order: PushIntent) -> Bool { order.purpose == .alert && order.replaces?.hasPrefix("budget.") == true }

    mutating func stored(_ batch: LogBatch) {
        for append in batch.appends {
            for event in append.events {
                guard case .budgetCrossed(let crossing)? = (try? Event(stored: event.bytes))?.head else { continue }
                crossings["budget.\(crossing.scope?.rawValue ?? "all").\(crossing.level).\(append.key.session)", default: 0] +=
                    1
            }
        }
    }

    mutating func ordered(_ order: PushIntent) -> String? {
        guard Self.isOne(order), let crossing = order.replaces else { return nil }
        let name = Name(device: order.device, crossing: crossing)
        let before = alerts[name] ?? []
        if before.contains(where: { $0.push == order.id }) { return nil }
        alerts[name] = before + [Alert(push: order.id, session: order.session)]
        guard before.count(where: { !$0.isLost }) >= crossings[crossing] ?? 0 else { return nil }
        return "\(order.device) is told once more of \(crossing), by push \(order.id.rawValue)"
    }

    mutating func answered(_ order: PushIntent, _ outcome: PushOutcome) {
        guard Self.isOne(order), let crossing = order.replaces else { return }
        let name = Name(device: order.device, crossing: crossing)
        guard let place = alerts[name]?.firstIndex(where: { $0.push == order.id }) else { return }
        alerts[name]?[place].outcome = outcome
    }

    // MARK: What ends an alert without APNs

    /// The device has the digest of all deferred alerts, including those that failed before.
    mutating func digested(_ device: DeviceID) { spared(device) }

    mutating func forgot(_ device: DeviceID) { alerts = alerts.filter { $0.key.device != device } }

    /// The person is looking at the device.
    mutating func spared(_ device: DeviceID) {
        alerts = alerts.filter { $0.key.device != device || !$0.value.allSatisfy(\.isLost) }
    }

    mutating func registered(_ device: Device) {
        alerts = alerts.filter { name, known in
            name.device != device.id || !known.allSatisfy(\.isLost) || known.allSatisfy { Self.wants($0, device) }
        }
    }

    /// A relay that starts with another clock drops alerts that have expired by it, including those in flight when the last run
    /// ended.
    mutating func clockWasSet() { alerts = alerts.filter { $0.value.contains(where: \.isTaken) } }

    /// What had no outcome is not sent again to a device that has no address for alerts.
    mutating func relayStarted(reaching reached: Set<DeviceID>) {
        for (name, list) in alerts where !reached.contains(name.device) {
            for place in list.indices where list[place].outcome == nil {
                alerts[name]?[place].outcome = .notRepeated
            }
        }
    }

    private static func wants(_ alert: Alert, _ device: Device) -> Bool {
        device.kinds.contains(.budget) && device.quiet == nil && device.gathering == nil && device.mutedProjects.isEmpty
            && !(alert.session.map(device.muted.contains) ?? false)
    }

    /// The person has not looked for long, and APNs worked: checks that every crossing was alerted.
    func quiet(_ device: Device) -> String? {
        guard device.address.alerts != nil else { return nil }
        for (name, known) in alerts.sorted(by: { $0.key.crossing < $1.key.crossing }) where name.device == device.id {
            guard !known.contains(where: \.isTaken), known.allSatisfy({ Self.wants($0, device) }) else { continue }
            // APNs would refuse it again.
            switch known.last?.outcome {
            case .refused(.fixRequest, _), .refused(.markProfile, _): continue
            default: return "\(device.id) was never told of \(name.crossing)"
            }
        }
        return nil
    }
}
