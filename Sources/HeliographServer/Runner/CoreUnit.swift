import Logging
import Metrics
import PushPlanner
import RelayCore
import RelayProtocol
import WebSocketEngine

/// A core with everything that belongs to it: its log, its peers' input, its pushes, its answers over HTTP. A relay that is alone
/// has one for all workspaces, a node one for each workspace that it owns. Confined to the core's thread.
final class CoreUnit {
    /// Parts that all cores of a process share.
    struct Surroundings {
        let configuration: ServerConfiguration
        let loop: EventLoop
        let connections: PeerConnections
        let access: Access
        let responder: Responder
        let wayMark: WayMark
        let overseer: Overseer
        let registry: PrometheusRegistry
        let measures: Measures
        let pushMeasures: PushMeasures
        let pushWay: PushWay
        let workspaces: any WorkspaceStore
        let pictures: any PictureStore
        let logger: Logger
    }

    /// The core's store, and what distinguishes its workspace from others'.
    struct Stored {
        let log: any SessionLog & Sendable
        let upkeep: any StoreUpkeep & Sendable
        let epochs: Epochs
        let codes: PushCodes
        /// The stored state, just read.
        let state: LogState
        /// Loads the state again.
        let load: @Sendable () throws -> LogState
    }

    let runner: RelayRunner
    let ingress: Ingress
    let routes: Routes
    let upkeep: any StoreUpkeep & Sendable
    private let mailbox: CoreMailbox
    private let httpPeers: HTTPCommandPeers

    /// `shutOut` is called with whether new peers must be refused for now.
    init(
        _ core: Relay.Configuration, _ stored: Stored, _ mailbox: CoreMailbox, in around: Surroundings,
        shutOut: @escaping (Bool) -> Void
    ) {
        let (loop, access, logger) = (around.loop, around.access, around.logger)
        self.mailbox = mailbox
        upkeep = stored.upkeep
        let pushes = PushRunner(around.pushWay, codes: stored.codes, mailbox: mailbox)
        httpPeers = HTTPCommandPeers(loop: loop, mailbox: mailbox)
        let pictures = PictureShelf(around.pictures, name: "pictures", loop: loop, logger: logger)
        runner = RelayRunner(
            loop: loop, connections: around.connections, configuration: core, log: stored.log, upkeep: stored.upkeep,
            epochs: stored.epochs, workspaces: around.workspaces, state: stored.state, load: stored.load, mailbox: mailbox,
            pushes: pushes, pairing: PairingDesk(access: access, mailbox: mailbox, logger: logger), pictures: pictures,
            httpPeers: httpPeers, shutOut: shutOut, measures: around.measures, logger: logger)
        let past = Shelf<any SessionLog & Sendable>(stored.log, name: "past", loop: loop, logger: logger)
        routes = Routes(
            in: around, core: Routes.Core(httpPeers: httpPeers, codes: stored.codes, pictures: pictures, past: past))
        ingress = Ingress(
            around.configuration.serverLimits, runner: runner, routes: routes, access: access, loop: loop,
            connections: around.connections, measures: around.measures, logger: logger)
    }

    /// True if it accepts writes, as far as it knows.
    var isReady: Bool { runner.store.takesWrites && upkeep.takesWrites }

    /// True while a request over HTTP waits for a command's outcome.
    var isAnswering: Bool { httpPeers.isAnswering }

    func tell(_ fact: Input) { mailbox.put(fact) }

    /// Called at the end of a turn of the loop.
    func endTurn() {
        mailbox.endTurn {
            runner.tickEnded()
            ingress.tickEnded()
        }
    }
}
