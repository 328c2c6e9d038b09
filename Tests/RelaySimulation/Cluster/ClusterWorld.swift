import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// Several relays on one database, with hosts and clients of several workspaces that come to any of them, on one virtual clock. It
/// runs on one thread, and gets time and randomness only from `now` and `dice`.
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
    /// Steps within one millisecond; more indicates a loop.
    private static let stepsAtOnceMax = 10_000

    /// All workspaces that ever existed, in order of creation, with their original names.
    private(set) var workspaces: [Named<WorkspaceTag>] = []
    private(set) var database: ClusterDatabase!
    /// The history of each workspace, in the same order.
    private(set) var histories: [ClusterHistory] = []
    private(set) var nodes: [ClusterNode] = []
    private(set) var hosts: [ClusterHost] = []
    private(set) var clients: [ClusterClient] = []
    /// True if workspaces are made, renamed and removed while nodes run.
    let isAdministered: Bool
    /// The push service and its phones; nil if there are no phones.
    private(set) var pushes: ClusterPushes?
    /// Nil if no letters are written.
    private(set) var letters: ClusterLetters?
    private(set) var identities: ClusterIdentities!
    var lastSocket: UInt64 = 0
    /// In a drill: index of the node that each role was led to last.
    var lastFront: [ClusterSocket.Role: Int] = [:]
    private var lastName = 0
    private var lastBatch = 0
    /// True once there are no more faults, and hosts produce nothing new.
    private(set) var isCalm = false
    /// Milliseconds from the end of faults until every participant matched the log.
    private(set) var levelAfter: Int64?
    /// Time at which every participant matched the log for the first time after the faults, and their effects had ended; nil
    /// before.
    private(set) var settledAt: Int64?
    /// True in a drill: peers that reconnect are led to the next node.
    var isDrilling = false
    /// Result of the drill; nil if there was none.
    var drilled: ClusterSimulator.Drilled?
    /// Time since which nothing fails, and every participant matches the log; nil if something may fail.
    var settledSince: Int64?
    /// Workspaces that a node gave to another node, or dropped.
    var moves = 0

    init(seed: UInt64, settings: ClusterSettings, isTraced: Bool) {
        self.settings = settings
        plant = settings.plant
        dice = Dice(seed: seed ^ 0xC1_05_7E_12)
        faults = ClusterFaults.drawn(by: &dice)
        trace = Trace(isKept: isTraced)
        // Most worlds have neither, so that the other faults are met as often as without them.
        isAdministered = settings.isAdministered ?? (seed % 5 == 1 || seed % 10 == 0)
        let hasPhones = settings.hasPhones ?? seed.isMultiple(of: 5)
        let hasLetters = settings.hasLetters ?? (seed % 7 == 2 || seed % 7 == 6)
        let drawn = dice.pick([1, 1, 2, 2, 3])
        let count = settings.workspaces ?? drawn
        // Their ids determine their places; their names are never shown.
        for index in 0..<count { workspaces.append(named(index)) }
        database = ClusterDatabase(world: self, isSynchronous: dice.chance(0.7) || plant == .hastyLoad)
        histories = workspaces.map { ClusterHistory($0.id, world: self) }
        let nodeCount = settings.nodes ?? 1 + dice.below(4)
        for index in 0..<nodeCount { nodes.append(ClusterNode(world: self, index: index)) }
        for place in places(max(count, 1 + dice.below(3))) { addHost(in: workspaces[place.workspace], place.ordinal) }
        for place in places(max(count, 1 + dice.below(3))) { addClient(in: workspaces[place.workspace], place.ordinal) }
        identities = ClusterIdentities(world: self, seed: seed)
        if isAdministered { faults.drawAdministration(by: &dice) }
        if hasLetters { letters = ClusterLetters(world: self) }
        if hasPhones {
            faults.drawPushes(by: &dice)
            pushes = ClusterPushes(world: self)
            for client in clients where client.ordinal == 0 { client.takePhone() }
        }
    }

    private func named(_ index: Int) -> Named<WorkspaceTag> {
        Named(id: WorkspaceID("w\(index)-\(dice.below(1_000))")!, name: "workspace \(index)")
    }

    /// Distributes peers: each workspace gets one, and the rest are random.
    private func places(_ count: Int) -> [(workspace: Int, ordinal: Int)] {
        var counts = workspaces.map { _ in 0 }
        return (0..<count).map { index in
            let workspace = index < workspaces.count ? index : dice.below(workspaces.count)
            counts[workspace] += 1
            return (workspace, counts[workspace] - 1)
        }
    }

    private func addHost(in workspace: Named<WorkspaceTag>, _ ordinal: Int) {
        hosts.append(ClusterHost(world: self, index: hosts.count, in: workspace.id, ordinal: ordinal))
    }

    private func addClient(in workspace: Named<WorkspaceTag>, _ ordinal: Int) {
        clients.append(ClusterClient(world: self, index: clients.count, in: workspace, ordinal: ordinal))
    }

    /// Adds a workspace with a host and a client, which connect as soon as they have their tokens.
    func addWorkspace() {
        let workspace = named(workspaces.count)
        trace.note(now, "operator", "makes", workspace.id.rawValue)
        workspaces.append(workspace)
        histories.append(ClusterHistory(workspace.id, world: self))
        database.add(workspace)
        addHost(in: workspace, 0)
        addClient(in: workspace, 0)
        if pushes != nil { clients[clients.count - 1].takePhone() }
        hosts[hosts.count - 1].start()
        clients[clients.count - 1].start()
        for role in [ClusterSocket.Role.host(hosts.count - 1), .client(clients.count - 1)] { identities.ask(role) }
    }

    /// Workspaces that were not removed.
    var standing: [DatabaseWorkspace] { database.workspaces.filter { !$0.isRemoved } }

    func history(of workspace: WorkspaceID) -> ClusterHistory {
        guard let index = workspaces.firstIndex(where: { $0.id == workspace }) else {
            preconditionFailure("the world has no workspace \(workspace)")
        }
        return histories[index]
    }

    func workspace(of role: ClusterSocket.Role) -> WorkspaceID {
        switch role {
        case .host(let index): hosts[index].identity.workspace
        case .client(let index): clients[index].identity.workspace.id
        }
    }

    /// All roles that ever had a token.
    var roles: [ClusterSocket.Role] {
        hosts.indices.map(ClusterSocket.Role.host) + clients.indices.map(ClusterSocket.Role.client)
    }

    func holder(of role: ClusterSocket.Role) -> Identity.Holder {
        switch role {
        case .host(let index): .host(hosts[index].identity.host)
        case .client(let index): .client(clients[index].identity.client)
        }
    }

    func name(of role: ClusterSocket.Role) -> String {
        switch role {
        case .host(let index): hosts[index].name
        case .client(let index): clients[index].name
        }
    }

    /// True if a promotion may lose acknowledged changes.
    var losesTails: Bool { !database.isSynchronous }

    // MARK: Time

    func at(_ time: Int64, _ action: @escaping EventQueue<ClusterWorld>.Action) { queue.add(at: max(time, now), action) }
    func after(_ wait: Int64, _ action: @escaping EventQueue<ClusterWorld>.Action) { at(now + max(0, wait), action) }

    /// A new unique name.
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
        for (index, node) in nodes.enumerated() {
            let isLate = index > 0 && dice.chance(faults.join)
            after(dice.within(isLate ? 5_000...20_000 : 0...2_000)) { _ in node.start() }
        }
        for host in hosts { after(dice.within(0...500)) { _ in host.start() } }
        for client in clients { after(dice.within(0...500)) { _ in client.start() } }
        after(1_000) { $0.everySecond() }
        identities.begin()
        advance(to: settings.duration)
        calm()
        advance(until: now + ServiceLimits.level(afterAllOf: nodes.count)) { complaint }
        levelAfter = now - settings.duration
        // Late effects of the faults may still end a node. The promises for a world without failures hold after that.
        let back = now + ServiceLimits.ready + ServiceLimits.level(afterAllOf: nodes.count)
        advance(until: back, by: Self.step) { unready ?? complaint }
        settledAt = now
        settledSince = now
        advance(until: now + ServiceLimits.removed) { leftover.map { (promise: .removal, what: $0) } }
        if violation == nil { drillOnce(settings.drill ?? drawnDrill) }
        settledSince = now
        advance(to: now + ServiceLimits.quiet)
        advance(until: now + ServiceLimits.placed) {
            complaint ?? uneven.map { (promise: .placement, what: $0) }
        }
    }

    private var drawnDrill: ClusterDrill {
        ClusterDrill.drawn(nodes: nodes.count, workspaces: standing.count, isAdministered: isAdministered, by: &dice)
    }

    private func drillOnce(_ drill: ClusterDrill) {
        // A node that has restarted may be taking over a workspace at this moment.
        advance(until: now + ServiceLimits.level(afterAllOf: nodes.count), by: Self.step) { complaint }
        guard violation == nil else { return }
        self.drill(drill)
        advance(until: now + ServiceLimits.level(afterAllOf: nodes.count)) { complaint }
    }

    /// Advances until there is no complaint, checking every `step`; reports the one that is left at `end`.
    func advance(until end: Int64, by step: Int64 = 1_000, _ complaint: () -> (promise: ClusterPromise, what: String)?) {
        while violation == nil, let (promise, what) = complaint() {
            if now >= end { return report(promise, what) }
            advance(to: min(now + step, max(end, now + 1)))
        }
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

    /// The first reason why a participant does not match the log; nil if all do.
    private var complaint: (promise: ClusterPromise, what: String)? {
        if let complaint = nodes.lazy.compactMap(\.complaint).first { return (.presence, complaint) }
        for workspace in standing {
            let owners = nodes.filter { $0.placement.owner(of: workspace.id) != nil }
            guard owners.count == 1, workspace.row.holder == owners[0].holder else {
                let holder = workspace.row.holder ?? "nobody"
                return (.level, "\(owners.count) nodes serve \(workspace.id), and its row says \(holder)")
            }
        }
        let complaint = hosts.lazy.compactMap(\.complaint).first ?? clients.lazy.compactMap(\.complaint).first
        if let complaint { return (.level, complaint) }
        if let unanswered = pushes?.unanswered { return (.codes, unanswered) }
        return pushes?.unrung.map { (.alerts, $0) }
    }

    /// The first effect of the faults that lasts; nil for none.
    private var unready: (promise: ClusterPromise, what: String)? {
        if let node = nodes.first(where: { !$0.isReady }) { return (.level, "\(node.name) is not ready") }
        return database.isSettled ? nil : (.level, "the database has not settled")
    }

    /// Two nodes whose numbers of workspaces differ by more than one; nil for none.
    private var uneven: String? {
        let counts = nodes.map { node in
            (node.name, database.workspaces.count { !$0.isRemoved && $0.row.holder == node.holder })
        }
        guard let most = counts.max(by: { $0.1 < $1.1 }), let fewest = counts.min(by: { $0.1 < $1.1 }), most.1 - fewest.1 > 1
        else {
            return nil
        }
        return "\(most.0) owns \(most.1) workspaces, and \(fewest.0) owns \(fewest.1)"
    }

    /// Faults with a probability per second.
    private func everySecond() {
        guard !isCalm else { return }
        if dice.chance(faults.kill) { victim.end("killed") }
        if dice.chance(faults.drain) { victim.drain() }
        if dice.chance(faults.stop) { victim.stop() }
        if dice.chance(faults.fence) { database.fence(dice.pick(standing).id) }
        if dice.chance(faults.unreadable) { dice.pick(nodes).cannotLoadUntil = now + dice.within(500...8_000) }
        if dice.chance(faults.freeze) { victim.freeze(for: dice.within(100...15_000)) }
        if dice.chance(faults.linkCut) { victim.linksAreCutUntil = now + dice.within(100...10_000) }
        if dice.chance(faults.linkSlow) { victim.linksAreSlowUntil = now + dice.within(1_000...10_000) }
        if dice.chance(faults.databaseCut) { victim.loseDatabase(for: dice.within(100...12_000)) }
        if dice.chance(faults.standbyAway) { database.changes.standbyLeaves(for: dice.within(100...8_000)) }
        if dice.chance(faults.promotion) {
            // Often the standby fails shortly before the machine does.
            if dice.chance(0.6) { database.changes.standbyLeaves(for: 10_000) }
            let wait = dice.within(500...ClusterFaults.outageMax)
            after(dice.within(0...3_000)) { if !$0.isCalm { $0.database.promote(after: wait) } }
        }
        if isAdministered { administer() }
        after(1_000) { $0.everySecond() }
    }

    /// A node for a fault; in half of the cases one that owns a workspace.
    var victim: ClusterNode {
        let owners = nodes.filter { $0.placement.isOwner }
        return owners.isEmpty || dice.chance(0.5) ? dice.pick(nodes) : dice.pick(owners)
    }

    private func calm() {
        trace.note(now, "world", "calms down")
        isCalm = true
        faults = .none
        database.changes.standbyReturns()
        for node in nodes { node.recover() }
    }
}
