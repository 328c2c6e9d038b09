/// Resource use of the relay and of this program between two moments.
struct Stopwatch {
    private let gauge: ProcessGauge?
    private let driver: Driver
    private let started = SteadyClock.now
    private let waited: Int64
    private let own = OwnUse.processorSeconds
    private let processor: Double?
    private let calls: UInt64?

    init(_ gauge: ProcessGauge?, _ driver: Driver) throws(BenchError) {
        self.gauge = gauge
        self.driver = driver
        waited = driver.waited
        processor = try gauge?.processorSeconds
        calls = gauge?.systemCalls
    }

    func stop() throws(BenchError) -> Use {
        let seconds = Double(SteadyClock.now - started) / 1e9
        var use = Use(
            seconds: seconds, driverSeconds: OwnUse.processorSeconds - own,
            driverWaits: min(1, Double(driver.waited - waited) / 1e9 / seconds))
        if let gauge, let processor {
            use.relaySeconds = try gauge.processorSeconds - processor
            use.residentKiB = try gauge.residentKiB
            use.peakKiB = try gauge.peakKiB
            use.systemCalls = gauge.systemCalls.flatMap { now in calls.map { now - $0 } }
        }
        return use
    }
}

/// Processor time in seconds, memory in KiB, and shares of the time.
package struct Use: Sendable {
    package let seconds: Double
    package let driverSeconds: Double
    /// Share of the time in which this program was idle. If it is near zero, this program was measured and not the relay.
    package let driverWaits: Double
    /// Nil if the relay is on another machine.
    package var relaySeconds: Double?
    package var residentKiB: Int?
    package var peakKiB: Int?
    package var systemCalls: UInt64?

    package var bottleneck: String { driverWaits < Self.waitsMin ? "load" : "relay" }

    /// Least share of idle time of this program for a valid measurement.
    private static let waitsMin = 0.05
}
