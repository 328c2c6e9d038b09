import RelaySimulation
import Testing

@Suite("Simulation")
struct SimulationTests {
    /// With all assertions, so that only a few fit. `make test-simulation` runs thousands in an optimised build, enough for every
    /// fault and shape to have met every other, and a soak; `make simulate SEEDS=100000` a night's worth.
    static let seeds: UInt64 = 60

    @Test("in many worlds of faults every promise holds")
    func manySeeds() async {
        var failures: [String] = []
        var steps = 0
        for await outcome in Simulator.outcomes(of: 1..<1 + Self.seeds, SimulationSettings()) {
            steps += outcome.steps
            if let violation = outcome.violation { failures.append("SEED=\(outcome.seed): \(violation)") }
        }
        #expect(failures.isEmpty, "\(failures.sorted().joined(separator: "\n"))\nreplay one with: SEED=n make simulate")
        #expect(steps > Int(Self.seeds) * 300, "worlds in which nothing happens prove nothing")
    }

    /// 1015: a relay ended after its clock was set back and forth, and the next one took starts of a minute ago for some of an hour ago.
    /// 17010: a clock that went back and forth gave urgent pushes twice. 19155: a relay ended after its clock was set, and the next one took
    /// a card for years old. 9367, 12163: a relay that was restarted asked for a command once more, and heard no end of it. 21535: what ended
    /// as all settled is on its card a minute later, and the world ended sooner. 6481: a session went on in another process, and the report of
    /// that was lost on a full disk. 771200152: devices came and went every half a minute, and an event sealed with a key of before was
    /// shown. 771202635: a start was never sent, as what it rang for was settled with its own commit.
    @Test(
        "worlds that failed once",
        arguments: [UInt64(1_015), 6_481, 9_367, 12_163, 17_010, 19_155, 21_535, 771_200_152, 771_202_635])
    func failedOnce(_ seed: UInt64) {
        let outcome = Simulator(seed: seed).run()
        #expect(outcome.violation == nil, "SEED=\(seed): \(outcome.summary)")
    }

    @Test("the same seed gives the same trace, to the byte; another gives another", arguments: [UInt64(1), 3, 5, 17, 4_711])
    func sameSeed(_ seed: UInt64) {
        let first = Simulator(seed: seed).run(isTraced: true)
        let second = Simulator(seed: seed).run()
        #expect(first.trace.hash == second.trace.hash)
        #expect(first.trace.count == first.trace.lines.count && first.trace.count > 100)
        #expect(second.trace.lines.isEmpty)
        #expect(Simulator(seed: seed + 1_000_000).run().trace.hash != first.trace.hash)
    }

    /// Finding each takes thousands of worlds, and an optimised build: `make test-simulation`.
    @Test("there is a planted fault for every checker")
    func everyChecker() {
        #expect(Plant.allCases.reduce(into: Set()) { $0.formUnion($1.watchers) } == Set(CheckerName.allCases))
    }

    @Test("a failing trace ends in the checker's sentence, and shrinks to fewer faults that fail alike")
    func failingTrace() throws {
        var configuration = SimulationSettings()
        configuration.plant = .droppedEvent
        let seed = try #require(
            (UInt64(1)...50).first { Simulator(seed: $0, configuration: configuration).run().violation != nil })
        let simulator = Simulator(seed: seed, configuration: configuration)
        let outcome = simulator.run(isTraced: true)
        let violation = try #require(outcome.violation)
        #expect(outcome.trace.lines.last?.contains(violation.sentence) == true)
        configuration.faults = simulator.shrunk()
        #expect(Simulator(seed: seed, configuration: configuration).run().violation?.checker == violation.checker)
    }

    @Test("without faults nothing is cut, lost or late")
    func noFaults() {
        var configuration = SimulationSettings()
        configuration.faults = Faults.none
        for seed in UInt64(1)...20 {
            let outcome = Simulator(seed: seed, configuration: configuration).run()
            #expect(outcome.violation == nil, "SEED=\(seed): \(outcome.summary)")
        }
    }
}
