import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// One node as a process: the machine that decides what it owns (`NodePlacement`), a core for each of its workspaces (`OwnerPart`),
/// an edge for each node that owns others (`EdgePart`), and an end at any moment.
final class ClusterNode {
    unowned let world: ClusterWorld
    let name: String
    /// Offset of its wall clock from the truth, and speed of its clocks.
    let wallOffset: Int64
    let rate: Double

    private(set) var isUp = false
    private(set) var isFrozen = false
    private var freezes = 0
    private(set) var life = 0
    private(set) var holder = ""
    /// Made anew in each run of the process.
    private(set) var database: NodeDatabase!
    private(set) var placement: NodePlacement!
    private(set) var peers: NodePeers!
    private(set) var edges: NodeEdges!
    private(set) var links: NodeLinks!
    private(set) var entrants: NodeEntrants!
    private(set) var calls: NodeCalls!
    /// Events held back while the process was stopped.
    private var postponed: [() -> Void] = []
    var linksAreCutUntil: Int64 = 0
    var linksAreSlowUntil: Int64 = 0
    private(set) var databaseIsCutUntil: Int64 = 0
    /// True if the process is not restarted.
    private var isKeptDown = false
    /// Until this time it fails to read workspaces that it claims.
    var cannotLoadUntil: Int64 = 0

    init(world: ClusterWorld, index: Int) {
        self.world = world
        name = "node\(index)"
        wallOffset = world.dice.pick([0, 0, 3_600_000, -3_600_000])
        rate = world.dice.pick([1, 1, Self.rateMax])
        begin()
    }

    static let rateMax = 1.2
    /// Longest time until its supervisor has restarted it, in milliseconds.
    static let restartMax: Int64 = 3_000

    private func begin() {
        database = NodeDatabase(self)
        placement = NodePlacement(self)
        peers = NodePeers(self)
        edges = NodeEdges(self)
        links = NodeLinks(self)
        entrants = NodeEntrants(self)
        calls = NodeCalls(self)
    }

    /// Time by its own monotonic clock.
    var uptime: Int64 { Int64(Double(world.now) * rate) }
    var instant: Instant { Instant(wall: World.wallAtStart + wallOffset + uptime, uptime: uptime) }
    var address: NodeAddress {
        NodeAddress(holder: holder, name: name, url: "http://\(name)", secret: "s", version: NodeLinkProtocol.version)
    }

    /// The core that serves this workspace here; nil if there is none, or not at the moment.
    func owner(of workspace: WorkspaceID) -> OwnerPart? {
        if world.plant == .misroutedPeer,
            let other = placement.owners.first(where: { $0.workspace != workspace && $0.isServing })
        {
            return other
        }
        return placement.owner(of: workspace)
    }

    // MARK: Life

    func start() {
        guard !isUp, !isKeptDown else { return }
        isUp = true
        holder = world.name(name + "-")
        begin()
        world.trace.note(world.now, name, "starts", "as \(holder)")
        entrants.start()
        placement.start()
    }

    /// Killed, and not started again before `startAgain`.
    func keepDown() {
        isKeptDown = true
        end("killed")
    }

    func startAgain() {
        isKeptDown = false
        start()
    }

    /// True if it serves, without work left over from the time of faults.
    var isReady: Bool {
        isUp && !isFrozen && placement.isReady && !entrants.isReading
            && database.isDone(withAllAskedBy: world.settings.duration)
    }

    /// Ends the process at once, in the middle of its work.
    func end(_ reason: String) {
        guard isUp else { return }
        world.trace.note(world.now, name, "ends", reason)
        isUp = false
        isFrozen = false
        life += 1
        postponed = []
        calls.lose()
        edges.lose()
        links.lose()
        peers.lose()
        placement.lose()
        database.lose()
        begin()
        world.after(world.dice.within(300...Self.restartMax)) { [self] _ in start() }
    }

    func drain() { if isUp, !isFrozen { placement.drain() } }
    func stop() { if isUp, !isFrozen { placement.stop() } }

    func freeze(for wait: Int64) {
        guard isUp, !isFrozen else { return }
        isFrozen = true
        freezes += 1
        world.trace.note(world.now, name, "is stopped", "for \(wait) ms")
        let life = life
        let freeze = freezes
        world.after(wait) { [self] _ in if life == self.life, freeze == freezes { thaw() } }
        world.after(World.heartbeat.hangUpSeconds * 1_000) { [self] _ in
            // Connected peers receive nothing more.
            if isFrozen, life == self.life, freeze == freezes { peers.fallSilent() }
        }
    }

    func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        world.trace.note(world.now, name, "goes on")
        let due = postponed
        postponed = []
        let life = life
        for action in due where life == self.life { action() }
    }

    /// Runs the action now, or once the process continues.
    func run(_ action: @escaping () -> Void) {
        guard isUp else { return }
        if isFrozen { postponed.append(action) } else { action() }
    }

    func inThisLife(after wait: Int64, _ action: @escaping () -> Void) {
        let life = life
        // A positive delay lasts at least 1 ms, however fast the clock.
        world.after(max(wait > 0 ? 1 : 0, Int64(Double(wait) / rate))) { [self] _ in
            guard life == self.life else { return }
            run(action)
        }
    }

    // MARK: The database

    var reachesDatabase: Bool { databaseIsCutUntil <= world.now && !world.database.isAway }

    func loseDatabase(for wait: Int64) {
        databaseIsCutUntil = world.now + wait
        database.isCut()
    }

    /// Cuts the links to other nodes without an error: each end gives up on the other after its own limit of silence, even if it
    /// has nothing to send.
    func unlink(for wait: Int64) {
        linksAreCutUntil = world.now + wait
        edges.fallSilent()
        links.fallSilent()
    }

    /// Ends all faults of this node.
    func recover() {
        thaw()
        (linksAreCutUntil, linksAreSlowUntil, databaseIsCutUntil, cannotLoadUntil) = (0, 0, 0, 0)
    }

    // MARK: Checking

    func role(of peer: PeerID) -> ClusterSocket.Role? { peers.role(of: peer) ?? links.role(of: peer) }

    /// The first error in the set of connected peers; nil for none.
    var complaint: String? {
        for part in placement.owners {
            let gone = part.relay?.peers.sorted().first { !peers.has($0) && !links.isThere($0) }
            guard let gone else { continue }
            return "the core of \(part.workspace) holds peer \(String(gone.rawValue, radix: 16)), which has gone"
        }
        return peers.complaint ?? links.complaint
    }
}
