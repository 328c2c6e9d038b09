import RelayCluster
import RelayProtocol

/// The cores of a node and its links to others, by workspace. Confined to the main loop's thread.
final class NodeParts: NodeOverview {
    enum Way {
        case core(CoreUnit)
        case link(EdgeRunner)
    }

    private(set) var cores: [WorkspaceID: CoreUnit] = [:]
    /// Workspaces whose cores admit nobody for now.
    private var shut: Set<WorkspaceID> = []
    /// Edges by the holder of the node that each leads to.
    private(set) var edges: [String: EdgeRunner] = [:]
    private var view: PlacementView?
    /// Time of the last look at the database, even if it found nothing new.
    private var lookedAt: ContinuousClock.Instant?
    /// The holder of each workspace that this node does not own.
    private var holders: [WorkspaceID: String] = [:]
    private var byNumber: [Int32: WorkspaceID] = [:]
    private var epochs: [WorkspaceID: Epoch] = [:]
    private let holder: String
    /// A copy of the routes for other threads.
    private let ways: WorkspaceWays
    /// Called when a route may have changed. Set once, before anything else.
    var changed: () -> Void = {}

    /// Longest time without a look at the database, after which this node may miss revocations. Looks are less than a second apart,
    /// and each takes at most this long.
    static let blindMax = Duration.seconds(10)

    /// `holder`: identifies this process.
    init(holder: String, _ ways: WorkspaceWays) {
        self.holder = holder
        self.ways = ways
    }

    /// True if the database was read lately. Otherwise this node does not know who may connect.
    var seesDatabase: Bool { seesDatabase(at: .now) }

    func seesDatabase(at now: ContinuousClock.Instant) -> Bool { lookedAt.map { now - $0 < Self.blindMax } ?? false }

    /// The route to a workspace; nil if nobody serves it, as far as this node knows.
    func way(to workspace: WorkspaceID) -> Way? {
        if let core = cores[workspace] { return shut.contains(workspace) ? nil : .core(core) }
        guard let edge = holders[workspace].flatMap({ edges[$0] }), edge.isServing else { return nil }
        return .link(edge)
    }

    /// The route in the form of the call machine.
    func named(wayTo workspace: WorkspaceID) -> CallMachine.Way? {
        switch way(to: workspace) {
        case .core: .own
        case .link: holders[workspace].map { .link($0) }
        case nil: nil
        }
    }

    /// The check of a notification's code.
    enum PresentedCode: Equatable {
        /// Valid: made by a relay of this database, for a push of this workspace.
        case right(WorkspaceID)
        case wrong
        /// Unknown: this node has not read the database yet, or not for too long, so it does not know each workspace's epoch.
        case undecided
    }

    /// Judges a push code. A wrong one reveals nothing by its answer or its timing: a number of this node's workspaces, of another
    /// node's and of none take the same work. `codes` checks those of an epoch.
    func judge(_ code: String, by codes: (Epoch) -> PushCodes, at now: ContinuousClock.Instant = .now) throws -> PresentedCode {
        guard view != nil else { return .undecided }
        let workspace = PushCodes.workspace(ofCode: code).flatMap(workspace)
        let epoch = workspace.flatMap { cores[$0]?.routes.core?.codes.epoch ?? epochs[$0] }
        let push = try codes(epoch ?? Self.noEpoch).push(ofCode: code)
        if let workspace, epoch != nil, push != nil { return .right(workspace) }
        return seesDatabase(at: now) ? .wrong : .undecided
    }

    /// Has the length of a real epoch, so that the check takes as long.
    private static let noEpoch = Epoch("00000000000000000000")!

    /// The workspace with this number in the database; 0 is the first workspace.
    private func workspace(numbered number: Int64) -> WorkspaceID? {
        number == 0 ? byNumber.min { $0.key < $1.key }?.value : Int32(exactly: number).flatMap { byNumber[$0] }
    }

    /// True if the node can serve at least one workspace.
    var isServing: Bool {
        seesDatabase && view.map { $0.rows.contains { WorkspaceID($0.scope).flatMap(way) != nil } } ?? false
    }

    /// Number of other live nodes; nil: this one has not read the database yet.
    var others: Int? { view.map { $0.nodes.count { $0.holder != holder } } }

    func owns(_ workspace: WorkspaceID) -> Bool { cores[workspace] != nil }

    var counts: Report.NodeCounts {
        Report.NodeCounts(workspaces: cores.count, links: edges.values.count { $0.isServing })
    }

    // MARK: - Changes

    func saw(_ view: PlacementView, at now: ContinuousClock.Instant = .now) {
        lookedAt = now
        guard view != self.view else { return }
        self.view = view
        (holders, byNumber, epochs) = ([:], [:], [:])
        for row in view.rows {
            guard let workspace = WorkspaceID(row.scope) else { continue }
            byNumber[row.number] = workspace
            epochs[workspace] = row.epoch
            if let owner = row.holder, owner != holder, !row.isFree { holders[workspace] = owner }
        }
        // Holders that have ended do not report anything any more.
        let living = Set(view.nodes.map(\.holder))
        edges = edges.filter { living.contains($0.key) || $0.value.isServing }
        publish()
    }

    func begin(_ core: CoreUnit, of workspace: WorkspaceID) {
        cores[workspace] = core
        shut.remove(workspace)
        publish()
    }

    /// Removes and returns a workspace's core.
    func end(_ workspace: WorkspaceID) -> CoreUnit? {
        defer { publish() }
        return cores.removeValue(forKey: workspace)
    }

    func shutOut(_ isShut: Bool, of workspace: WorkspaceID) {
        if isShut { shut.insert(workspace) } else { shut.remove(workspace) }
        publish()
    }

    func add(_ edge: EdgeRunner, to holder: String) { edges[holder] = edge }

    /// A link was opened, or has ended.
    func linkChanged() { publish() }

    private func publish() {
        var table: [WorkspaceID: WorkspaceWays.Way] = [:]
        for workspace in Set(cores.keys).union(holders.keys) {
            switch way(to: workspace) {
            case .core: table[workspace] = .here
            case .link: table[workspace] = .there
            case nil: break
            }
        }
        ways.replace(with: table)
        changed()
    }
}
