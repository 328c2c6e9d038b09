/// One seed, one run: one to four nodes on one database, one to three workspaces that each have an owner among them, hosts and clients under
/// faults, watched by checkers.
///
/// The same seed and settings give the same trace, to the byte. Reading order: `ClusterWorld`, `ClusterDatabase`, `DatabaseWorkspace`,
/// `ClusterNode`, `NodePlacement`, `OwnerPart`, `NodePeers`, `EdgePart`, `NodeLinks`, then `ClusterHistory`, which most checkers are in.
package struct ClusterSimulator: Sendable {
    package struct Outcome: Sendable {
        package let seed: UInt64
        package let violation: ClusterViolation?
        package let trace: Trace
        package let steps: Int
        package let nodes: Int
        package let workspaces: Int
        package let commits: Int
        /// Sum of the generations of all workspaces.
        package let generations: Int64
        /// Workspaces that a node gave to another node, or dropped.
        package let moves: Int
        /// Virtual milliseconds from the last fault until every participant matched the log; nil if not measured.
        package let levelAfter: Int64?
        /// Result of the drill; nil if something failed before.
        package let drilled: Drilled?
        /// Decisions made with codes of notifications.
        package let codes: Int
        /// Letters of hosts that have reached their clients.
        package let letters: Int
        /// Workspaces that were removed.
        package let removals: Int
        /// Identities that nodes have returned.
        package let identities: Int
    }

    /// Length of the interruption of service after one fault, in virtual milliseconds.
    package struct Drilled: Sendable {
        package let drill: ClusterDrill
        package let ownedAfter: Int64
        package let levelAfter: Int64
        /// Limits of `ownedAfter` and `levelAfter`.
        package let ownedWithin: Int64
        package let levelWithin: Int64

        fileprivate var words: String { "\(drill.rawValue): after \(levelAfter) ms" }
    }

    package let seed: UInt64
    package let settings: ClusterSettings

    package init(seed: UInt64, settings: ClusterSettings = ClusterSettings()) {
        self.seed = seed
        self.settings = settings
    }

    package func run(isTraced: Bool = false) -> Outcome {
        let world = ClusterWorld(seed: seed, settings: settings, isTraced: isTraced)
        world.run()
        return Outcome(
            seed: seed, violation: world.violation, trace: world.trace, steps: world.stepCount, nodes: world.nodes.count,
            workspaces: world.workspaces.count, commits: world.histories.map(\.commits).reduce(0, +),
            generations: world.database.workspaces.map(\.row.generation).reduce(0, +), moves: world.moves,
            levelAfter: world.levelAfter, drilled: world.drilled, codes: world.pushes?.decidedCount ?? 0,
            letters: world.letters?.answers ?? 0, removals: world.database.workspaces.count { $0.isRemoved },
            identities: world.identities.told)
    }
}

extension ClusterSimulator.Outcome {
    package var summary: String {
        violation.map(\.description)
            ?? "all promises held, \(nodes) nodes, \(workspaces) workspaces, \(commits) commits, \(generations) generations, "
            + "\(moves) moves, "
            + "level after \(levelAfter ?? 0) ms, \(drilled?.words ?? "no drill"), trace \(String(trace.hash, radix: 16))"
    }
}

extension ClusterSimulator {
    /// Runs seeds in parallel. Outcomes come in the order in which they end.
    package static func outcomes(of seeds: Range<UInt64>, _ settings: ClusterSettings) -> AsyncStream<Outcome> {
        SideBySide.outcomes(of: seeds) { ClusterSimulator(seed: $0, settings: settings).run() }
    }
}
