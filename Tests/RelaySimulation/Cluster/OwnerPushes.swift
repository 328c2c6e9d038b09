import PushPlanner
import RelayProtocol

/// Sends the pushes of one core, and returns their outcomes. Like `PushRunner`.
final class OwnerPushes {
    private unowned let node: ClusterNode
    /// Pushes ordered by this core that have no outcome.
    private var awaited: Set<PushID> = []
    /// Outcomes that came while there was no core to receive them.
    private var unheard: [PushID: PushOutcome] = [:]
    private var hasEnded = false
    var tell: (PushID, PushOutcome) -> Void = { _, _ in }

    init(_ node: ClusterNode) { self.node = node }

    func push(_ intent: PushIntent, in epoch: Epoch) {
        guard !hasEnded, awaited.insert(intent.id).inserted else { return }
        if let outcome = unheard.removeValue(forKey: intent.id) { return arrived(intent, outcome, in: epoch) }
        node.world.pushes?.take(intent, in: epoch, from: node) { [weak self] in self?.arrived(intent, $0, in: epoch) }
    }

    private func arrived(_ intent: PushIntent, _ outcome: PushOutcome, in epoch: Epoch) {
        guard !hasEnded else { return }
        guard awaited.remove(intent.id) != nil else { return unheard[intent.id] = outcome }
        node.world.pushes?.told(intent, in: epoch, of: outcome, by: node.holder)
        tell(intent.id, outcome)
    }

    /// The next core orders pushes without an outcome in its log again.
    func suspend() { (awaited, unheard) = ([], [:]) }

    /// The next owner of the workspace orders pushes without an outcome again.
    func end() { hasEnded = true }
}
