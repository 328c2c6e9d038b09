import Glibc
import Logging
import HeliographPlatform
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The relay as a process, and how its parts are connected. Everything is confined to the core's thread, except for `PeerHandler`,
/// of which each loop has its own.
///
///     sockets ─▶ PeerHandler ─▶ Ingress ─▶ RelayRunner ─▶ Relay (pure) ─▶ effects ─▶ SessionLog, sockets, PushRunner ─▶ PushWay
///                   └─▶ Routes (page, pairing, health) ─▶ HTTPCommandPeers (clients over HTTP)          Access: who may connect
///     Access, PairingDesk, HTTPCommandPeers, PushRunner ─▶ CoreMailbox ─▶ RelayRunner
package final class RelayServer {
    private let common: ServerParts
    private let core: CoreUnit
    private let logger: Logger

    /// Runs until SIGTERM or SIGINT. `started` gets the addresses, on the loop's thread, when the relay accepts connections.
    package static func run(_ configuration: ServerConfiguration, started: @escaping (RelayAddresses) -> Void) throws {
        let logger = Logger(label: "heliograph.relay")
        try SystemLimits.check(loops: configuration.loops)
        // Checked before anything is created.
        try AdminSocket(in: configuration.dataDirectory).check()
        let process = RelayProcess(configuration, logger, started: started)
        // On a terminal, closing it ends the relay; a service reads its files again on this signal.
        try SignalWatch.start(hangUpStops: isatty(STDIN_FILENO) == 1) { [signals = process.signals] in signals.fire($0) }
        if let node = try StoreOpening.node(for: process) { return try NodeServer.run(process, node) }
        guard let store = try StoreOpening.open(for: process) else { return logger.notice("stopped while it stood by") }
        let workspace = try store.credentials.bootstrap(workspaceName: "default")

        var server: RelayServer?
        try EventLoopGroup.run(configuration.eventLoop, loops: configuration.loops, logger: logger) { loops in
            let made = try RelayServer(process, store, first: workspace.id, loops)
            server = made
            process.serves(
                on: loops, port: made.common.port, store.folder, Credentials(store: store.credentials, workspace: workspace)
            ) {
                made.carryOut($0)
            }
        }
        server?.core.runner.finishCommits()
        server?.common.around.access.uses.finish()
        try store.close()
        logger.notice("stopped")
    }

    /// True if the error says that there is no relay in the given folder.
    package static func isAbsent(_ error: any Error) -> Bool { OpenStore.isAbsent(error) }

    /// True if a start failed because of the machine: disk space, permissions, limits, an address. A person may correct that and
    /// start again; other errors are about the folder's content.
    package static func isFaultOfMachine(_ error: any Error) -> Bool {
        switch error {
        case let error as WebSocketEngineError: error.code == .cannotListen || error.code == .initialisationFailed
        case let error as ServerError: error.code == .machine || error.code == .file
        default: OpenStore.isFaultOfMachine(error)
        }
    }

    private init(_ process: RelayProcess, _ store: OpenStore, first: WorkspaceID, _ loops: EventLoopGroup) throws {
        let (loop, logger) = (loops.main, process.logger)
        self.logger = logger
        let load: @Sendable () throws -> LogState = { try store.log.loadForCore() }
        let common = try ServerParts(process, store, loops)
        let access = common.around.access
        let core = CoreUnit(
            try Relay.Configuration(process.configuration, in: store.folder),
            CoreUnit.Stored(
                log: store.log, upkeep: store.upkeep, epochs: store.epochs(first: first),
                codes: PushCodes(
                    directory: store.folder, secret: common.secrets?.codes, epoch: store.log.epoch, logger: logger),
                state: try load(), load: load),
            common.mailbox, in: common.around, shutOut: { access.admission.shut($0) })
        common.overseer.cores = { [core] }
        StoreCheck(logger).begin(store.upkeep)
        (self.common, self.core) = (common, core)

        loops.turnEnded = { [connections = common.around.connections] in
            core.endTurn()
            connections.turnEnded()
        }
        loop.hasMoreToGather = { core.runner.isGathering }
        core.runner.wasReadAnew = { access.reload() }
        core.runner.start(holders: access.authenticator.clients, limits: access.limits)
        try common.listen(as: .alone) { [ingress = core.ingress] in ingress.take($0) }
        common.strangers.start()
        // Reads revocations that the command line could not report before, and from now on those of other machines.
        access.reload()
        let (boundAccess, boundCommon, handle) = (LoopBound(access, loop: loop), LoopBound(common, loop: loop), loop.handle)
        store.whenEntrantsChanged { handle.execute { boundAccess.value.reload() } }
        store.whenDurabilityChanged { durability in handle.execute { boundCommon.value.durabilityChanged(durability) } }
    }

    // MARK: - Signals and the end

    private func carryOut(_ order: SignalWatch.Order) { common.carryOut(order) { shutDown() } }

    private var isShuttingDown = false

    private func shutDown() {
        guard !isShuttingDown else { return common.loops.main.stop() }
        isShuttingDown = true
        logger.notice("stopping")
        common.closeListeners()
        core.runner.leave()
        common.end { [core] in core.runner.isIdle }
    }
}
