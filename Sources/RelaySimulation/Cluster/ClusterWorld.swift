import RelayCore
import RelayModel
import RelayProtocol

/// Several relays on one database, with hosts and clients that come to any of them, on one clock: one thread's, and nothing in it knows the
/// time or chance but by `now` and `dice`.
final class ClusterWorld {
    let settings: ClusterSettings
    let plant: ClusterPlant?
    var dice: Dice
    var faults: ClusterFaults
    private(set) var now: Int64 = 0
    private var queue = EventQueue<ClusterWorld>()
    var trace: Trace
    private(set) var violation: ClusterViolation?
    private(set) var stepCount = 0
    private var stepsNow = 0
    /// In one millisecond: more is a loop.
    private static let stepsAtOnceMax = 10_000

    private(set) var database: ClusterDatabase!
    private(set) var history: ClusterHistory!
    private(set) var nodes: [ClusterNode] = []
    private(set) var hosts: [ClusterHost] = []
    private(set) var clients: [ClusterClient] = []
    var lastSocket: UInt64 = 0
    private var lastName = 0
    private var lastBatch = 0
    /// No more faults, and hosts say nothing new.
    private(set) var isCalm = false
    /// How long it took after the calm until everybody was level.
    private(set) var levelAfter: Int64?

    init(seed: UInt64, settings: ClusterSettings, isTraced: Bool) {
        self.settings = settings
        plant = settings.plant
        dice = Dice(seed: seed ^ 0xC1_05_7E_12)
        faults = ClusterFaults.drawn(by: &dice)
        trace = Trace(isKept: isTraced)
        database = ClusterDatabase(world: self, isSynchronous: dice.chance(0.7) || plant == .hastyLoad)
        history = ClusterHistory(world: self)
        let nodeCount = settings.nodes ?? 1 + dice.below(4)
        for index in 0..<nodeCount { nodes.append(ClusterNode(world: self, index: index)) }
        for index in 0..<1 + dice.below(3) { hosts.append(ClusterHost(world: self, index: index)) }
        for index in 0..<1 + dice.below(3) { clients.append(ClusterClient(world: self, index: index)) }
    }

    /// A promotion may lose what was acknowledged.
    var losesTails: Bool { !database.isSynchronous }

    // MARK: Time

    func at(_ time: Int64, _ action: @escaping EventQueue<ClusterWorld>.Action) { queue.add(at: max(time, now), action) }
    func after(_ wait: Int64, _ action: @escaping EventQueue<ClusterWorld>.Action) { at(now + max(0, wait), action) }

    /// A name that was never given before.
    func name(_ prefix: String) -> String {
        lastName += 1
        return "\(prefix)\(lastName)"
    }

    func nextBatch() -> Int {
        lastBatch += 1
        return lastBatch
    }

    func report(_ promise: ClusterPromise, _ what: String) {
        guard violation == nil else { return }
        violation = ClusterViolation(promise: promise, what: what, at: now)
        trace.note(now, "checker", "sees", "\(promise.rawValue): \(what)")
        trace.close()
    }

    // MARK: The run

    func run() {
        for node in nodes { after(dice.within(0...2_000)) { _ in node.start() } }
        for host in hosts { after(dice.within(0...500)) { _ in host.start() } }
        for client in clients { after(dice.within(0...500)) { _ in client.start() } }
        after(1_000) { $0.everySecond() }
        advance(to: settings.duration)
        calm()
        while violation == nil, now < settings.duration + settings.levelWithin {
            advance(to: now + 1_000)
            guard complaint == nil else { continue }
            levelAfter = now - settings.duration
            return
        }
        if let complaint { report(complaint.promise, complaint.what) }
    }

    private func advance(to end: Int64) {
        while violation == nil, let next = queue.nextAt, next <= end, let (at, action) = queue.takeNext() {
            stepsNow = at == now ? stepsNow + 1 : 0
            if stepsNow > Self.stepsAtOnceMax { return report(.level, "time stands still") }
            now = at
            stepCount += 1
            action(self)
        }
        now = max(now, end)
    }

    /// What keeps everybody from being level; nil: nothing does.
    private var complaint: (promise: ClusterPromise, what: String)? {
        let owners = nodes.filter { $0.owner?.isServing == true }
        guard owners.count == 1, let owner = owners[0].owner, database.row.holder == owners[0].holder else {
            return (.level, "\(owners.count) nodes serve as the owner, and the row says \(database.row.holder ?? "nobody")")
        }
        if let complaint = hosts.lazy.compactMap(\.complaint).first ?? clients.lazy.compactMap(\.complaint).first {
            return (.level, complaint)
        }
        if let gone = owner.relay?.peers.sorted().first(where: { !owners[0].hasSocket($0) && !owner.links.isThere($0) }) {
            return (.presence, "the owner's core holds peer \(String(gone.rawValue, radix: 16)), which has gone")
        }
        return nil
    }

    /// Faults whose chance goes by time.
    private func everySecond() {
        guard !isCalm else { return }
        if dice.chance(faults.kill) { victim.end("killed") }
        if dice.chance(faults.stop) { victim.stop() }
        if dice.chance(faults.freeze) { victim.freeze(for: dice.within(100...15_000)) }
        if dice.chance(faults.linkCut) { victim.linksAreCutUntil = now + dice.within(100...10_000) }
        if dice.chance(faults.linkSlow) { victim.linksAreSlowUntil = now + dice.within(1_000...10_000) }
        if dice.chance(faults.databaseCut) { victim.loseDatabase(for: dice.within(100...12_000)) }
        if dice.chance(faults.standbyAway) { database.standbyLeaves(for: dice.within(100...8_000)) }
        if dice.chance(faults.promotion) {
            // Most machines that fail have failed their standby before.
            if dice.chance(0.6) { database.standbyLeaves(for: 10_000) }
            let wait = dice.within(500...5_000)
            after(dice.within(0...3_000)) { $0.database.promote(after: wait) }
        }
        after(1_000) { $0.everySecond() }
    }

    /// The owner as often as any other.
    private var victim: ClusterNode {
        let owners = nodes.filter { $0.owner != nil }
        return owners.isEmpty || dice.chance(0.5) ? dice.pick(nodes) : dice.pick(owners)
    }

    private func calm() {
        trace.note(now, "world", "calms down")
        isCalm = true
        faults = .none
        database.standbyReturns()
        for node in nodes {
            node.thaw()
            node.linksAreCutUntil = 0
            node.linksAreSlowUntil = 0
            node.databaseIsCutUntil = 0
        }
    }
}
