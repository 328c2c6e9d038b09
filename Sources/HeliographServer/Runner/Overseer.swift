import RelayCore
import WebSocketEngine

/// Looks at all parts of a running relay, for who asks how it is. Lives on the core's thread.
final class Overseer: RelayOverview {
    private let runner: RelayRunner
    private let pushes: PushWay
    private let upkeep: any StoreUpkeep
    private let loops: EventLoopGroup
    private let configuration: ServerConfiguration
    private let measures: Measures
    private let startedAt = ContinuousClock.now
    private var port: UInt16 = 0

    init(
        _ runner: RelayRunner, _ pushes: PushWay, _ upkeep: any StoreUpkeep, _ loops: EventLoopGroup,
        _ configuration: ServerConfiguration, _ measures: Measures
    ) {
        self.runner = runner
        self.pushes = pushes
        self.upkeep = upkeep
        self.loops = loops
        self.configuration = configuration
        self.measures = measures
    }

    /// Connections are accepted now.
    func listens(at port: UInt16) { self.port = port }

    var isReady: Bool { !runner.store.isFailing && upkeep.takesWrites }

    func look() {
        measures.looked(
            sessions: runner.sessionCount, openApprovals: runner.openApprovalCount, dataBytes: upkeep.byteCount,
            takesWrites: isReady && !runner.store.isShortOfRoom)
    }

    func confirmClock() -> Bool { runner.confirmClock() }

    func makeReport(_ answer: @escaping ([UInt8]) -> Void) {
        loops.census { [self] engine in
            let report = Report(
                configuration: configuration, address: configuration.localURL(port: port),
                uptime: ContinuousClock.now - startedAt, core: runner.census, engine: engine, isReady: isReady,
                takesWrites: upkeep.takesWrites, damagedRecords: upkeep.damagedRecords.count + runner.damagedRecords,
                pushesUnderWay: pushes.underWay, clockDoubt: runner.clockDoubt)
            answer(report.bytes)
        }
    }
}
