/// Results of a run. Fields that do not apply to the scenario are nil.
package struct BenchResult: Sendable {
    package let plan: BenchPlan
    package let use: Use
    /// Events that hosts sent during the measurement.
    package var sent: Int64?
    /// Deliveries of these to subscribers.
    package var deliveries: Int?
    /// WebSocket messages of these, including the warm-up.
    package var messages: Int?
    /// Live events that were dropped for slow subscribers.
    package var missed: Int64?
    /// Time from when an event was due (open loop) or sent (closed loop) until a subscriber had read it; for an approval, until its
    /// host had the decision.
    package var latency: LatencySummary?
    /// Approvals that completed the round trip, or events that were acknowledged.
    package var done: Int?
    /// Connected clients, and the number of refused attempts before.
    package var clients: Int?
    package var turnedAway: Int?
    /// Resident memory of the relay before the clients connected, in KiB.
    package var residentBeforeKiB: Int?
    /// Processor time of the idle relay, in seconds per minute.
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
