import PushPlanner
import RelayProtocol

/// Checks that if a person wants notifications that need no answer gathered, none of them rings by itself, and the digest comes in
/// the end.
struct GatheringChecker {
    /// Prefixes of the names of notifications about past events.
    private static let names = ["error.", "finished.", "running.", "budget."]
    /// Longest delay, for retries and for pushes that are sent first.
    private static let patience: Int64 = 60_000

    static func planned(_ order: PushIntent, to device: Device) -> String? {
        guard device.gathering != nil, order.purpose == .alert, order.urgency == .atOnce, let name = order.replaces,
            names.contains(where: name.hasPrefix)
        else { return nil }
        return "push \(order.id.rawValue) rings \(order.device) for \(name), which was to be gathered"
    }

    /// The person has not looked for long, and the services worked: checks that no digest is late.
    static func quiet(_ known: KnownDevice, at now: Int64) -> String? {
        guard known.device.address.alerts != nil, known.device.quiet == nil, let since = known.deferredSince else { return nil }
        let wait: Int64 =
            switch known.device.gathering {
            case .interval(let minutes): minutes * 60_000
            case .daily: 86_400_000
            case nil: 0
            }
        guard since + wait + patience < now else { return nil }
        return "\(known.device.id) was never told of what is gathered for it since \(since)"
    }
}
