import RelayCore

/// One seed, one run: a relay, hosts, agents, clients, disks and a network under faults, watched by checkers.
///
/// The same seed and configuration give the same trace, to the byte. Reading order: `World`, `RelayProcess`, `HostProcess`,
/// `ClientProcess`, then `Checkers/`.
package struct Simulator: Sendable {
    package struct Outcome: Sendable {
        package let seed: UInt64
        package let violation: Violation?
        package let trace: Trace
        package let steps: Int
        package let faults: Faults
        /// The most that the core held at any moment.
        package let peak: Int
        /// Contents of the core when all was quiet, in words.
        package let held: String
    }

    package let seed: UInt64
    package var configuration: SimulationSettings

    package init(seed: UInt64, configuration: SimulationSettings = SimulationSettings()) {
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

extension Simulator {
    /// Runs seeds in parallel, as many as there are threads. Outcomes come in the order in which they end.
    package static func outcomes(of seeds: Range<UInt64>, _ configuration: SimulationSettings) -> AsyncStream<Outcome> {
        SideBySide.outcomes(of: seeds) { Simulator(seed: $0, configuration: configuration).run() }
    }

    /// Removes one fault after the other as long as the same checker still reports a failure; the rest is needed.
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
