import Dispatch
import HeliographPlatform
import Logging
import RelayCluster
import RelayCore
import Synchronization

/// Looks at the database for an edge, on a thread of its own: who owns the log, and whether this node shall.
final class ClusterWatch: Sendable {
    /// What the edge is to do; called on that thread.
    struct Orders: Sendable {
        let dial: @Sendable (NodeAddress) -> Void
        let hangUp: @Sendable () -> Void
        /// Tokens or workspaces were changed, no matter by whom.
        let entrantsChanged: @Sendable () -> Void
        /// This node owns the log: `take` has the store.
        let serve: @Sendable () -> Void
    }

    /// A killed owner has gone after 13 ms: nobody waits longer for the next one than for its load.
    private static let interval = DispatchTimeInterval.milliseconds(250)

    private let node: any ClusterNode
    private let logger: Logger
    private let machine: Mutex<ClusterMachine>
    private let store = Mutex<OpenStore?>(nil)
    private let begin = ContinuousClock.now
    private let stop = DispatchSemaphore(value: 0)
    private let isStopped = DispatchSemaphore(value: 0)

    init(_ node: any ClusterNode, name: String, _ logger: Logger) {
        self.node = node
        self.logger = logger
        machine = Mutex(ClusterMachine(holder: node.holder, name: name))
    }

    func start(_ orders: Orders) throws(ServerError) {
        guard BackgroundThread.start({ [self] in run(orders) }) else {
            throw ServerError(.machine, "The system starts no thread.")
        }
    }

    /// The edge's link has ended. The machine's orders come with its next look.
    func linkEnded() { _ = handle(.linkEnded) }

    /// Returns when nothing is asked any more: with the store where this node owns the log by now.
    func finish() -> OpenStore? {
        _ = handle(.stopOrdered)
        stop.signal()
        isStopped.wait()
        return store.withLock { $0 }
    }

    private func handle(_ fact: ClusterMachine.Fact) -> [ClusterMachine.Order] {
        let passed = (ContinuousClock.now - begin).components
        let now = passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
        return machine.withLock { $0.handle(fact, at: now) }
    }

    // MARK: - On its thread

    private func run(_ orders: Orders) {
        defer { isStopped.signal() }
        // As was last told; nil: nobody was.
        var toldChanges: Int64?
        var isAway = false
        repeat {
            do throws(LogError) {
                let (view, changes) = try node.look()
                isAway = false
                if changes != toldChanges { orders.entrantsChanged() }
                toldChanges = changes
                // Each is carried out though one before it failed: the machine waits for what comes of a claim, and of a link.
                var failure: LogError?
                for order in handle(.looked(view)) {
                    do throws(LogError) { try carryOut(order, orders) } catch { failure = failure ?? error }
                }
                if let failure { throw failure }
            } catch {
                if !isAway { logger.error("the database cannot be looked at", metadata: ["error": "\(error)"]) }
                isAway = true
            }
        } while store.withLock({ $0 == nil }) && stop.wait(timeout: .now() + Self.interval) == .timedOut
    }

    private func carryOut(_ order: ClusterMachine.Order, _ orders: Orders) throws(LogError) {
        switch order {
        case .claim: try claim(orders)
        case .renew: try node.renew()
        case .dial(let owner): orders.dial(owner)
        case .hangUp: orders.hangUp()
        case .tellOfVersion(let owner):
            logger.error(
                "the relay that owns the log speaks another version of links: this node serves nobody until one of its own version owns it",
                metadata: [
                    "owner": "\(owner.name)", "owner.version": "\(owner.version)", "version": "\(NodeLinkProtocol.version)",
                ])
        case .serve: orders.serve()
        case .leave: break
        }
    }

    private func claim(_ orders: Orders) throws(LogError) {
        let claimed: OpenStore?
        do throws(LogError) { claimed = try node.claim() } catch {
            _ = handle(.claimFailed)
            throw error
        }
        store.withLock { $0 = claimed }
        for order in handle(claimed == nil ? .claimFailed : .claimed) { try carryOut(order, orders) }
    }
}
