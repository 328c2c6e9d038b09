import PushPlanner
import RelayModel
import RelayProtocol

/// Checks that nothing is planned for a device that has reported within half a minute that its person is looking, except alerts for
/// requests not on its screen.
struct PresenceChecker {
    private struct Looking {
        var device: DeviceID
        var heardAt: Int64
    }

    private var looking: [PeerID: Looking] = [:]
    private var seen: [DeviceID: Set<ApprovalID>] = [:]

    mutating func relayEnded() {
        looking = [:]
        seen = [:]
    }

    mutating func left(_ peer: PeerID) {
        guard let device = looking.removeValue(forKey: peer)?.device else { return }
        if !looking.values.contains(where: { $0.device == device }) { seen[device] = nil }
    }

    mutating func heard(
        _ message: ClientMessage, on peer: PeerID, of client: ClientID, _ known: [KnownDevice], at now: Int64
    ) {
        looking[peer]?.heardAt = now
        guard case .command(_, let command) = message else { return }
        switch command {
        case .presence(let isForeground, _, let device):
            // A client can report for its own devices only.
            guard isForeground, let device, known.contains(where: { $0.device.id == device && $0.client == client }) else {
                return left(peer)
            }
            if looking[peer]?.device != device { left(peer) }
            looking[peer] = Looking(device: device, heardAt: now)
        case .seen(_, let approval):
            if let device = looking[peer]?.device { seen[device, default: []].insert(approval) }
        case .forget(let device):
            for peer in looking.keys where looking[peer]?.device == device { looking[peer] = nil }
            seen[device] = nil
        default: break
        }
    }

    func isPresent(_ device: DeviceID, at now: Int64) -> Bool {
        looking.values.contains { $0.device == device && $0.heardAt + WireLimits.presenceMilliseconds > now }
    }

    /// - Parameter called: The requests that a push without a code rings for.
    func planned(_ order: PushIntent, calling called: [ApprovalID], at now: Int64) -> String? {
        guard isPresent(order.device, at: now), order.purpose != .channel else { return nil }
        let onScreen = seen[order.device] ?? []
        let rung = order.code.map { [$0.approval] } ?? called
        if order.purpose == .alert, rung.contains(where: { !onScreen.contains($0) }) { return nil }
        return "push \(order.id.rawValue), \(order.purpose), is planned for \(order.device), which looks"
    }
}
