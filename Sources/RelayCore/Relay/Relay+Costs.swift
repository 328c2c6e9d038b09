import RelayModel
import RelayProtocol

/// Costs, which are added to the batch with the events they come from.
extension Relay {
    mutating func settleCosts(at now: Instant) {
        for spending in staging.spendings {
            guard let view = sessions.staged(spending.key) else { continue }
            costs.add(spending, of: view.summary, at: now)
        }
        if costs.isStaged { costs.keep(&staging.records) }
    }
}
