import RelayCore
import RelayProtocol
import WebSocketEngine

/// The node's state, for a relay that is one of several.
protocol NodeOverview: AnyObject {
    /// True if it can serve at least one workspace.
    var isServing: Bool { get }
    var counts: Report.NodeCounts { get }
    func owns(_ workspace: WorkspaceID) -> Bool
}

/// Collects the state of all parts of a running relay for requests. Confined to the core's thread.
final class Overseer {
    /// The process's cores. Set once, before the first call.
    var cores: () -> [CoreUnit] = { [] }
    /// The node's state; nil if the relay is alone. Set once, before the first call.
    var node: (any NodeOverview)?
    private let access: Access
    private let upkeep: any StoreUpkeep
    private let loops: EventLoopGroup
    private let configuration: ServerConfiguration
    private let measures: Measures
    private let pushWay: PushWay
    private let startedAt = ContinuousClock.now
    private var port: UInt16 = 0

    /// `upkeep`: that of the whole store.
    init(
        _ upkeep: any StoreUpkeep, _ loops: EventLoopGroup, _ configuration: ServerConfiguration, _ measures: Measures,
        _ access: Access, _ pushWay: PushWay
    ) {
        self.access = access
        self.upkeep = upkeep
        self.loops = loops
        self.configuration = configuration
        self.measures = measures
        self.pushWay = pushWay
    }

    /// Connections are accepted now.
    func listens(at port: UInt16) { self.port = port }

    /// False while the store refuses writes, or if a node serves no workspace.
    var isReady: Bool { node?.isServing != false && takesWrites }

    private var takesWrites: Bool { cores().allSatisfy(\.isReady) }

    /// Each workspace belongs to one node.
    func owns(_ workspace: WorkspaceID) -> Bool { node?.owns(workspace) ?? true }

    /// The worst of all cores.
    var clockDoubt: Int64? { cores().lazy.compactMap(\.runner.clockDoubt).max() }

    /// Workspaces whose sessions take at least an equal share of the memory of all sessions.
    var largeWorkspaces: Set<WorkspaceID> {
        let bytes = cores().reduce(into: [WorkspaceID: Int]()) { all, core in
            all.merge(core.runner.workspaceSessionBytes, uniquingKeysWith: +)
        }
        let share = bytes.values.reduce(0, +) / max(bytes.count, 1)
        return Set(bytes.filter { $0.value >= share }.keys)
    }

    /// Updates the metrics that are only measured on request.
    func look() {
        let cores = cores()
        let workspaces = access.workspaces.keys
        let owned = workspaces.count(where: owns)
        measures.looked(workspaces: workspaces.count, registered: access.registered, owned: owned)
        measures.looked(
            workspaceEventBytes: cores.flatMap(\.runner.workspaceEventBytes), of: owned,
            overfull: cores.reduce(0) { $0 + $1.runner.overfullWorkspaceCount })
        measures.looked(
            sessions: cores.reduce(0) { $0 + $1.runner.sessionCount },
            openApprovals: cores.reduce(0) { $0 + $1.runner.openApprovalCount }, dataBytes: upkeep.byteCount,
            takesWrites: takesWrites && !cores.contains { $0.runner.store.isShortOfRoom })
        // If the file cannot be read, that is reported when the relay reads tokens.
        measures.looked(waitingRevocations: (try? upkeep.waitingRevocations) ?? 0, unwritten: access.unwritten.count)
    }

    /// A person confirms that the machine's clock is right; false if it was trusted anyway.
    func confirmClock() -> Bool { cores().reduce(false) { $1.runner.confirmClock() || $0 } }

    /// Makes a `Report`, as JSON.
    func makeReport(_ answer: @escaping ([UInt8]) -> Void) {
        loops.census { [self] engine in
            let cores = cores()
            let report = Report(
                configuration: configuration, address: configuration.localURL(port: port),
                uptime: ContinuousClock.now - startedAt, core: RelayCensus(sumOf: cores.map(\.runner.census)), engine: engine,
                isReady: isReady, takesWrites: takesWrites,
                damagedRecords: cores.reduce(0) { $0 + $1.upkeep.damagedRecords.count + $1.runner.damagedRecords },
                unwrittenRevocations: access.unwritten.count,
                pushesUnderWay: pushWay.underWay, node: node?.counts,
                clockDoubt: clockDoubt)
            answer(report.bytes)
        }
    }
}
