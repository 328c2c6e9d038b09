import Glibc
import Logging
import RelayCore
import Synchronization
import WebSocketEngine

/// The way to the data, which is short for a file, and may lead past other relays for a database.
enum StoreOpening {
    /// For a relay that others on its database reach; nil for one that is alone.
    static func node(for process: RelayProcess) throws -> OpenNode? {
        let configuration = process.configuration
        guard let address = configuration.store, let url = configuration.advertise, let secret = process.linkSecret else {
            return nil
        }
        let node = try OpenNode(
            forRelayIn: configuration.dataDirectory, at: address, name: configuration.node ?? url, reachedAt: url,
            linkSecret: secret, refusal: configuration.allowsAsynchronousDatabase ? nil : losing)
        // Of two that start at once, one at least sees the other.
        try node.renew(isLeaving: false)
        if try node.hasCompany() { try refuseToLose(node, configuration) }
        logSchema(node.schema, process.logger)
        return node
    }

    private static func logSchema(_ schema: String, _ logger: Logger) {
        logger.notice("the database is open", metadata: ["schema": "\(schema)"])
    }

    /// Several nodes are there to lose nothing.
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

    /// A relay that takes no links listens to nobody while others own what it is to own. Nil where it was to stop before they had left.
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

    /// A status of its own (EX_TEMPFAIL): a service manager starts the relay again, also one that does not restart processes that end with
    /// 1, which is for what an operator has to mend.
    private static let dataLostStatus: Int32 = 75

    private static func watch(_ store: OpenStore, _ logger: Logger) {
        store.whenLost { end($0, logger) }
    }

    /// Ends the process where the data is lost to another: at once, and as if it had been killed. What peers are shown from then on may be
    /// old, and all that was acknowledged is committed. Peers come back, to the relay that holds the data.
    static func end(_ error: LogError, _ logger: Logger) {
        logger.critical("the database may be another relay's by now: ends", metadata: ["error": "\(error)"])
        _exit(dataLostStatus)
    }
}
