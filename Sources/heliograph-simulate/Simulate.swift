import ArgumentParser
import RelaySimulation

/// Runs the simulator: many seeds, or one with its trace.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heliograph-simulate", abstract: "Run relay, hosts and clients in a world of faults, by seed.",
        discussion: """
            A seed that fails prints what was seen; --seed N --trace shows how it came to that.

            EXAMPLES
              heliograph-simulate --seeds 100000
              heliograph-simulate --seed 4711 --trace
              heliograph-simulate --seed 1 --hours 24
            """)

    @Option(help: "How many seeds to run.") var seeds: UInt64 = 1_000
    @Option(help: "The first of them.") var from: UInt64 = 1
    @Option(help: "Run this one only.") var seed: UInt64?
    @Flag(help: "Print all that happens.") var trace = false
    @Option(help: "A soak: so many virtual hours of one seed, with modest faults. Of two or more, it fails where it grows.")
    var hours: Int64?
    @Option(help: "Plant a fault that has to be caught: \(Plant.allCases.map(\.rawValue).joined(separator: ", ")).")
    var plant: String?

    func run() async throws {
        var settings = SimulationSettings()
        if let plant {
            guard let known = Plant(rawValue: plant) else { throw ValidationError("there is no plant \(plant)") }
            settings.plant = known
        }
        guard seeds > 0 else { throw ValidationError("at least one seed") }
        if let hours { return try await soak(seed ?? from, hours) }
        if let seed { try runOne(seed, settings) } else { try await runMany(settings) }
    }

    private func soak(_ seed: UInt64, _ hours: Int64) async throws {
        guard hours > 0 else { throw ValidationError("at least one hour") }
        async let half = hours < 2 ? nil : Simulator(seed: seed, configuration: .soak(hours: hours / 2)).run()
        let peak = try runOne(seed, .soak(hours: hours))
        guard let half = await half, peak >= half.peak * 3 / 2 else { return }
        print("  it grows: at most \(half.peak) things in half of the time")
        throw ExitCode(1)
    }

    /// The most that the core held.
    @discardableResult
    private func runOne(_ seed: UInt64, _ settings: SimulationSettings) throws -> Int {
        let begun = ContinuousClock.now
        let outcome = Simulator(seed: seed, configuration: settings).run(isTraced: trace)
        for line in outcome.trace.lines { print(line) }
        print("seed \(seed): \(outcome.steps) steps in \(ContinuousClock.now - begun), \(outcome.summary)")
        print("  when all was quiet, the core held \(outcome.held)")
        guard outcome.violation != nil else { return outcome.peak }
        let needed = Simulator(seed: seed, configuration: settings).shrunk()
        print("  it also fails with nothing but: \(needed)")
        throw ExitCode(1)
    }

    private func runMany(_ settings: SimulationSettings) async throws {
        let clock = ContinuousClock()
        let begun = clock.now
        var (done, steps) = (UInt64(0), 0)
        var failed: [UInt64] = []
        for await outcome in Simulator.outcomes(of: from..<from + seeds, settings) {
            done += 1
            steps += outcome.steps
            if outcome.violation != nil {
                failed.append(outcome.seed)
                print("seed \(outcome.seed): \(outcome.summary)")
            }
            if done.isMultiple(of: 1_000) || done == seeds {
                let seconds = Double((clock.now - begun).components.seconds) + 0.001
                print(
                    "\(done) of \(seeds) seeds, \(failed.count) failed, \(Int(Double(done) / seconds)) a second, \(steps) steps"
                )
            }
        }
        guard failed.isEmpty else {
            print("failed: \(failed.sorted().map(String.init).joined(separator: " "))")
            throw ExitCode(1)
        }
    }
}
