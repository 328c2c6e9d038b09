import RelayModel
import RelayProtocol

/// Costs: added to the batch that has the events they come from.
extension Relay {
    mutating func settleCosts(at now: Instant) {
        for spending in staging.spendings {
            guard let view = sessions.staged(spending.key) else { continue }
            costs.add(spending, of: view.summary, at: now)
        }
        if costs.isStaged { costs.keep(&staging.records) }
    }
}
