import RelayCore

/// One seed, one run: a relay, hosts, agents, clients, disks and a network under faults, watched by checkers.
///
/// The same seed and configuration give the same trace, to the byte. Reading order: `World`, `RelayProcess`, `HostProcess`,
/// `ClientProcess`, then `Checkers/`.
package struct Simulator: Sendable {
    package struct Configuration: Sendable {
        package var hostsMax = 2
        package var clientsMax = 3
        /// Virtual milliseconds with faults; then without, until all is quiet; then until all that agents waited for is settled.
        /// Nil takes the shape's.
        package var duration: Int64?
        package var calm: Int64 = 130_000
        package var settling: Int64 = 60_000
        /// Nil draws it from the seed.
        package var shape: Shape?
        /// What waits for one client before the relay is told, and before it is hung up on: beyond any one snapshot.
        package var congestedBytes = 16 << 10
        package var outboxBytesMax = 2 << 20
        /// A host's spool: so small that its bounds are met.
        package var spoolBytesMax = 24 << 10
        package var spoolSegmentBytesMax = 6 << 10
        /// Nil draws them from the seed.
        package var faults: Faults?
        package var plant: Plant?
        /// Whether somebody has a phone; nil: in every fifth world.
        package var hasPhones: Bool?
        /// Whether sessions are steered; nil: in every fourth world.
        package var isSteered: Bool?

        package init() {}
    }

    package struct Outcome: Sendable {
        package let seed: UInt64
        package let violation: Violation?
        package let trace: Trace
        package let steps: Int
        package let faults: Faults
        /// The most that the core held at any moment.
        package let peak: Int
        /// What it held when all was quiet, in words.
        package let held: String
    }

    package let seed: UInt64
    package var configuration: Configuration

    package init(seed: UInt64, configuration: Configuration = Configuration()) {
        self.seed = seed
        self.configuration = configuration
    }

    package func run(isTraced: Bool = false) -> Outcome {
        let world = World(seed: seed, configuration: configuration, isTraced: isTraced)
        let faults = world.faults
        world.run()
        return Outcome(
            seed: seed, violation: world.violation, trace: world.trace, steps: world.stepCount, faults: faults,
            peak: world.peak, held: world.held?.description ?? "nothing that was looked at")
    }
}

extension Simulator.Outcome {
    package var summary: String {
        violation.map(\.description)
            ?? "all promises held, at most \(peak) things in the core's memory, trace \(String(trace.hash, radix: 16))"
    }
}

extension Simulator.Configuration {
    /// One long run with modest faults: what grows without a bound shows.
    package static func soak(hours: Int64) -> Self {
        var settings = Self()
        settings.duration = hours * 3_600_000
        settings.shape = .soak
        var faults = Faults()
        faults.delay = 0.01
        faults.cut = 0.0005
        faults.relayCrash = 0.00002
        faults.hostCrash = 0.00002
        faults.powerLoss = 0.3
        faults.slowCommit = 0.01
        faults.refusedCommit = 0.0002
        faults.failedWrite = 0.0005
        faults.stall = 0.0005
        faults.agentRestart = 0.0005
        faults.restlessClient = 0.005
        faults.refusedPush = 0.005
        faults.unknownPush = 0.005
        faults.unsentPush = 0.005
        faults.latePush = 0.01
        faults.lostPush = 0.02
        settings.hasPhones = true
        settings.faults = faults
        return settings
    }
}

extension Simulator {
    /// Runs seeds side by side, as many as there are threads; in the order they end.
    package static func outcomes(of seeds: Range<UInt64>, _ configuration: Configuration) -> AsyncStream<Outcome> {
        AsyncStream { stream in
            let task = Task {
                await withTaskGroup(of: Outcome.self) { group in
                    var rest = seeds.makeIterator()
                    func next() {
                        guard let seed = rest.next() else { return }
                        group.addTask { Simulator(seed: seed, configuration: configuration).run() }
                    }
                    for _ in 0..<sideBySide { next() }
                    for await outcome in group {
                        stream.yield(outcome)
                        if Task.isCancelled { break }
                        next()
                    }
                }
                stream.finish()
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }

    /// More than most machines have cores; the pool runs no more than there are.
    private static let sideBySide = 16

    /// Takes away one fault after the other as long as the same checker still sees a failure; what is left is needed.
    package func shrunk() -> Faults {
        guard let first = run().violation else { return .none }
        var configuration = configuration
        var faults = run().faults
        for number in 0..<Faults.count {
            configuration.faults = faults.without(number)
            let outcome = Simulator(seed: seed, configuration: configuration).run()
            if outcome.violation?.checker == first.checker { faults = faults.without(number) }
        }
        return faults
    }
}
