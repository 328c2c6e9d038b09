import Glibc
import Logging
import RelayCore
import Synchronization
import WebSocketEngine

/// Opens the data: at once for a file; for a database possibly after waiting for other relays.
enum StoreOpening {
    /// Opens the store of a node that others on its database can reach; nil for a relay that is alone.
    static func node(for process: RelayProcess) throws -> OpenNode? {
        let configuration = process.configuration
        guard let address = configuration.store, let url = configuration.advertise, let secret = process.linkSecret else {
            return nil
        }
        let node = try OpenNode(
            forRelayIn: configuration.dataDirectory, at: address, name: configuration.node ?? url, reachedAt: url,
            linkSecret: secret, refusal: configuration.allowsAsynchronousDatabase ? nil : losing)
        // Of two nodes that start at the same time, at least one sees the other.
        try node.renew(isLeaving: false)
        if try node.hasCompany() { try refuseToLose(node, configuration) }
        logSchema(node.schema, process.logger)
        return node
    }

    private static func logSchema(_ schema: String, _ logger: Logger) {
        logger.notice("the database is open", metadata: ["schema": "\(schema)"])
    }

    /// Throws if a commit could be lost, as several nodes are run to prevent that.
    private static func refuseToLose(_ node: OpenNode, _ configuration: ServerConfiguration) throws {
        guard try configuration.allowsAsynchronousDatabase || node.durability().isSynchronous else {
            try node.close()
            throw ServerError(.settings, losing)
        }
    }

    private static var losing: String {
        """
        Other relays serve on the database, and it has no synchronous standby: several relays would outlive it, and lose with it what they \
        acknowledged. Set synchronous_standby_names (heliograph doctor), or say that one machine is enough: \
        \(Settings.named("asynchronousDatabase").flag) true.
        """
    }

    /// Opens the store for a relay that is alone. It does not listen while others own its data. Nil if it was told to stop while it
    /// waited.
    static func open(for process: RelayProcess) throws -> OpenStore? {
        let (configuration, logger, signals) = (process.configuration, process.logger, process.signals)
        let isStandingBy = Atomic(false)
        do {
            let store = try OpenStore(forRelayIn: configuration.dataDirectory, at: configuration.store) {
                if !isStandingBy.exchange(true, ordering: .relaxed) {
                    logger.notice("stands by: another relay holds the database")
                }
                return !signals.isStopping
            }
            if isStandingBy.load(ordering: .relaxed) { logger.notice("takes over from the relay that held the database") }
            if let schema = store.schema { logSchema(schema, logger) }
            watch(store, logger)
            return store
        } catch {
            guard isStandingBy.load(ordering: .relaxed), signals.isStopping else { throw error }
            return nil
        }
    }

    /// Exit status EX_TEMPFAIL, on which a service manager restarts the relay, even one that does not restart after status 1, which
    /// is for errors that an operator has to correct.
    private static let dataLostStatus: Int32 = 75

    private static func watch(_ store: OpenStore, _ logger: Logger) {
        store.whenLost { end($0, logger) }
    }

    /// Ends the process when the data may belong to another relay: at once, as if it had been killed. What peers are shown after
    /// that may be outdated, and everything acknowledged is committed. Peers reconnect to the relay that owns the data.
    static func end(_ error: LogError, _ logger: Logger) {
        logger.critical("the database may be another relay's by now: ends", metadata: ["error": "\(error)"])
        _exit(dataLostStatus)
    }
}
