/// Results of a run. Fields that do not apply to the scenario are nil.
package struct BenchResult: Sendable {
    package let plan: BenchPlan
    package let use: Use
    /// Events that hosts sent while it was measured.
    package var sent: Int64?
    /// Events that subscribers got of these.
    package var deliveries: Int?
    /// WebSocket messages that they came in, warm-up included.
    package var messages: Int?
    /// Live events that were dropped on the way to slow subscribers.
    package var missed: Int64?
    /// From when an event was due (open loop) or was sent (closed loop) to when a subscriber had read it; of an approval, until its host
    /// had the decision.
    package var latency: LatencySummary?
    /// Approvals that went all the way, or events that were acknowledged.
    package var done: Int?
    /// Clients that are connected, and how often one was turned away before.
    package var clients: Int?
    package var turnedAway: Int?
    /// Resident memory of the relay before the clients came, in KiB.
    package var residentBeforeKiB: Int?
    /// Processor of the relay while nobody did anything, in seconds a minute.
    package var idleSecondsPerMinute: Double?

    init(plan: BenchPlan, use: Use) {
        self.plan = plan
        self.use = use
    }

    package var deliveriesPerSecond: Double? { deliveries.map { Double($0) / use.seconds } }

    package var donePerSecond: Double? { done.map { Double($0) / use.seconds } }

    package var clientsPerSecond: Double? { clients.map { Double($0) / use.seconds } }

    package var relaySecondsPerMillionDeliveries: Double? { perMillion(use.relaySeconds) }

    package var driverSecondsPerMillionDeliveries: Double? { perMillion(use.driverSeconds) }

    package var systemCallsPerDelivery: Double? {
        guard let calls = use.systemCalls, let deliveries, deliveries > 0 else { return nil }
        return Double(calls) / Double(deliveries)
    }

    /// The relay's memory for each client.
    package var kibPerClient: Double? {
        guard let before = residentBeforeKiB, let after = use.residentKiB, let clients, clients > 0 else { return nil }
        return Double(after - before) / Double(clients)
    }

    private func perMillion(_ seconds: Double?) -> Double? {
        guard let seconds, let deliveries, deliveries > 0 else { return nil }
        return seconds * 1e6 / Double(deliveries)
    }
}
