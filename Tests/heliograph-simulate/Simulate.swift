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
              heliograph-simulate --nodes --seeds 1000
              heliograph-simulate --nodes --seed 4711 --trace
              heliograph-simulate --plants --seeds 500
            """)

    @Option(help: "How many seeds to run.") var seeds: UInt64 = 1_000
    @Option(help: "The first of them.") var from: UInt64 = 1
    @Option(help: "Run this one only.") var seed: UInt64?
    @Flag(help: "Print all that happens.") var trace = false
    @Option(help: "A soak: so many virtual hours of one seed, with modest faults. With two or more, it fails if it grows.")
    var hours: Int64?
    @Flag(help: "Worlds of one to four relays on one database.") var nodes = false
    @Option(
        help: """
            Plant a fault that has to be caught: \(Plant.allCases.map(\.rawValue).joined(separator: ", ")); with --nodes \
            \(ClusterPlant.allCases.map(\.rawValue).joined(separator: ", ")).
            """)
    var plant: String?
    @Flag(help: "Plant each fault by itself, in one seed after the other, and fail where the checker of it sees none.")
    var plants = false
    @Option(
        help: """
            With --nodes: what fails alone when all is level again, in place of what the seed says: \
            \(ClusterDrill.allCases.map(\.rawValue).joined(separator: ", ")).
            """)
    var drill: String?

    func run() async throws {
        guard seeds > 0 else { throw ValidationError("at least one seed") }
        if plants { return try await runPlants() }
        if nodes { return try await runClusters() }
        var settings = SimulationSettings()
        if let plant {
            guard let known = Plant(rawValue: plant) else { throw ValidationError("there is no plant \(plant)") }
            settings.plant = known
        }
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

    /// Runs one simulation and prints its outcome. Returns the most things that the core held at any moment.
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
        try report(failed)
    }

    private func runPlants() async throws {
        let sightings = await Sighting.ofEveryPlant(in: from..<from + seeds)
        let missed = sightings.filter { !$0.isByWatcher }
        for sighting in missed {
            print("\(sighting.plant)\(sighting.seed.map { ", seed \($0)" } ?? ""): \(sighting.text)")
        }
        let latest = sightings.compactMap(\.seed).max() ?? 0
        print("\(sightings.count) planted faults, \(missed.count) missed by their checkers; the last is seen in seed \(latest)")
        guard missed.isEmpty else { throw ExitCode(1) }
    }

    // MARK: - Clusters

    private func runClusters() async throws {
        guard hours == nil else { throw ValidationError("a soak is of one relay") }
        var settings = ClusterSettings()
        if let plant {
            guard let known = ClusterPlant(rawValue: plant) else {
                throw ValidationError("there is no plant \(plant) of a cluster")
            }
            settings = known.settings
        }
        if let drill {
            guard let known = ClusterDrill(rawValue: drill) else { throw ValidationError("there is no drill \(drill)") }
            settings.drill = known
        }
        if let seed {
            let outcome = ClusterSimulator(seed: seed, settings: settings).run(isTraced: trace)
            for line in outcome.trace.lines { print(line) }
            print("seed \(seed): \(outcome.steps) steps, \(outcome.summary)")
            if outcome.violation != nil { throw ExitCode(1) }
            return
        }
        let begun = ContinuousClock.now
        var (steps, latest) = (0, Int64(0))
        var failed: [UInt64] = []
        var drills: [ClusterDrill: [ClusterSimulator.Drilled]] = [:]
        for await outcome in ClusterSimulator.outcomes(of: from..<from + seeds, settings) {
            steps += outcome.steps
            latest = max(latest, outcome.levelAfter ?? 0)
            if let drilled = outcome.drilled { drills[drilled.drill, default: []].append(drilled) }
            guard outcome.violation != nil else { continue }
            failed.append(outcome.seed)
            print("seed \(outcome.seed): \(outcome.summary)")
        }
        print(
            "\(seeds) clusters, \(failed.count) failed, \(steps) steps in \(ContinuousClock.now - begun), "
                + "all level at most \(latest) ms after the last fault")
        for drill in ClusterDrill.allCases { if let list = drills[drill] { Self.tell(drill, list) } }
        try report(failed)
    }

    private func report(_ failed: [UInt64]) throws {
        guard let first = failed.min() else { return }
        print("failed: \(failed.sorted().map(String.init).joined(separator: " "))")
        print("replay: heliograph-simulate\(nodes ? " --nodes" : "") --seed \(first) --trace")
        throw ExitCode(1)
    }

    private static func tell(_ drill: ClusterDrill, _ list: [ClusterSimulator.Drilled]) {
        func half(_ times: [Int64]) -> Int64 { times.sorted()[times.count / 2] }
        let (owned, level) = (list.map(\.ownedAfter), list.map(\.levelAfter))
        print(
            "  \(drill.rawValue), \(list.count) times: owned after \(half(owned)) ms, at most \(owned.max() ?? 0) "
                + "(allowed: \(list.map(\.ownedWithin).max() ?? 0)); level after \(half(level)) ms, at most \(level.max() ?? 0) "
                + "(allowed: \(list.map(\.levelWithin).max() ?? 0))")
    }
}
