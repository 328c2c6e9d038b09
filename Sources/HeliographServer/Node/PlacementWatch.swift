import Dispatch
import HeliographPlatform
import Logging
import RelayCluster
import RelayCore
import RelayProtocol
import Synchronization

/// Reads the database for a node, on its own thread: who owns which workspace, and what this node should own. Claimed workspaces
/// are loaded in the background, so that a large one does not delay renewals of the lease.
final class PlacementWatch: Sendable {
    /// Orders for the node; called on this object's threads, one after the other. None may block, nor call `done` before it has
    /// returned.
    struct Orders: Sendable {
        /// Called with each view, before the orders that follow from it.
        let seen: @Sendable (PlacementView) -> Void
        let dial: @Sendable (NodeAddress) -> Void
        /// Closes the link to the holder of that name.
        let hangUp: @Sendable (String) -> Void
        /// Tokens or workspaces were changed, by whomever.
        let entrantsChanged: @Sendable () -> Void
        let durabilityChanged: @Sendable (DatabaseDurability) -> Void
        /// This node owns the workspace, whose stored state is passed. Call `done` when its peers are admitted.
        let serve: @Sendable (OwnedWorkspace, LogState, _ done: @escaping @Sendable () -> Void) -> Void
        /// Call `done` when the workspace's row is free, or another node owns it.
        let handOver: @Sendable (WorkspaceID, _ done: @escaping @Sendable () -> Void) -> Void
        /// Another node owns the workspace.
        let drop: @Sendable (WorkspaceID) -> Void
        let leave: @Sendable () -> Void
        /// Other nodes may own everything of this process by now.
        let lost: @Sendable (LogError) -> Void
    }

    /// Interval between checks of the database's durability.
    private static let durabilityInterval = Duration.seconds(30)

    private let store: any PlacementStore
    private let load: @Sendable (any SessionLog) throws -> LogState
    private let logger: Logger
    private let state: Mutex<State>
    private let begin = ContinuousClock.now
    /// Signalled when the next look is due at once.
    private let wake = DispatchSemaphore(value: 0)
    private let isStopped = DispatchSemaphore(value: 0)
    private let claims = DispatchQueue(label: "heliograph.claims", attributes: .concurrent)
    /// Claims and loads under way.
    private let claimsUnderWay = DispatchGroup()

    private struct State {
        var machine: PlacementMachine
        /// Time before the last successful renewal was sent.
        var renewed = ContinuousClock.now
        var isLeaving = false
        var isOver = false
        var pace = LookInterval()
    }

    init(
        _ store: any PlacementStore, load: @escaping @Sendable (any SessionLog) throws -> LogState, _ logger: Logger
    ) {
        self.store = store
        self.load = load
        self.logger = logger
        state = Mutex(State(machine: PlacementMachine(holder: store.holder)))
    }

    func start(_ orders: Orders) throws(ServerError) {
        guard BackgroundThread.start({ [self] in run(orders) }) else {
            throw ServerError(.machine, "The system starts no thread.")
        }
    }

    // MARK: - What the node says

    /// A link has ended, or could not be opened. The machine's orders follow with its next look.
    func linkEnded(_ holder: String) {
        note(.linkEnded(holder))
        hurry()
    }

    /// Starts the next look at once, and then frequent ones.
    private func hurry() {
        let wasAtRest = state.withLock { state in
            defer { state.pace.changed(at: .now) }
            return state.pace.isAtRest(at: .now)
        }
        if wasAtRest { wake.signal() }
    }

    /// A commit was refused, because another node owns the workspace.
    func lost(_ workspace: WorkspaceID, _ orders: Orders) { handle(.lost(workspace.rawValue), orders) }

    /// This node should end, and others get its workspaces. The database is updated at once, so that no node leaves a free
    /// workspace to this one.
    func drain(_ orders: Orders) {
        state.withLock { $0.isLeaving = true }
        hurry()
        claims.async(group: claimsUnderWay) { [self] in
            renew(orders)
            note(.drainOrdered)
        }
    }

    /// Time until others may take this process for dead; zero or less: they may by now.
    var leaseLeft: Duration { state.withLock { OpenNode.renewalMax - (ContinuousClock.now - $0.renewed) } }

    /// Returns when no query runs any more.
    func finish() {
        note(.stopOrdered)
        state.withLock { $0.isOver = true }
        wake.signal()
        isStopped.wait()
        claimsUnderWay.wait()
    }

    /// Handles one fact at a time, including the machine's orders, so that they are carried out in the order of the facts. Nothing
    /// here blocks except the renewal, which comes last.
    private func handle(_ fact: PlacementMachine.Fact, _ orders: Orders) {
        let shallRenew = state.withLock { state in
            var shallRenew = false
            if case .looked(let view) = fact { state.pace.saw(view, at: .now) } else { state.pace.changed(at: .now) }
            for order in state.machine.handle(fact, at: now) {
                if order == .renew { shallRenew = true } else { carryOut(order, orders) }
            }
            return shallRenew
        }
        if shallRenew { renew(orders) }
    }

    /// Passes a fact to the machine that causes no order at once.
    private func note(_ fact: PlacementMachine.Fact) { state.withLock { _ = $0.machine.handle(fact, at: now) } }

    private var now: Int64 {
        let passed = (ContinuousClock.now - begin).components
        return passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }

    // MARK: - On its thread

    private func run(_ orders: Orders) {
        defer { isStopped.signal() }
        // The last count of changes that was reported; nil before the first.
        var toldChanges: Int64?
        var (durability, durabilityLooked) = (DatabaseDurability?.none, ContinuousClock.Instant?.none)
        var isAway = false
        repeat {
            do throws(LogError) {
                let (view, changes) = try store.look()
                if isAway { logger.notice("the database can be looked at again") }
                isAway = false
                if changes != toldChanges { orders.entrantsChanged() }
                toldChanges = changes
                orders.seen(view)
                handle(.looked(view), orders)
                if durabilityLooked.map({ ContinuousClock.now - $0 >= Self.durabilityInterval }) ?? true {
                    durabilityLooked = .now
                    let found = try store.durability()
                    if found != durability { orders.durabilityChanged(found) }
                    durability = found
                }
            } catch {
                if !isAway { logger.error("the database cannot be looked at", metadata: ["error": "\(error)"]) }
                isAway = true
            }
        } while waitForNext()
    }

    /// Waits until the next look; false if there is none any more.
    private func waitForNext() -> Bool {
        let wait = state.withLock { $0.pace.wait(at: .now) }
        _ = wake.wait(timeout: .now() + .milliseconds(Int(wait / .milliseconds(1))))
        return state.withLock { !$0.isOver }
    }

    private func carryOut(_ order: PlacementMachine.Order, _ orders: Orders) {
        switch order {
        case .claim(let scope, let generation):
            claims.async(group: claimsUnderWay) { [self] in claim(Self.workspace(scope), generation, orders) }
        case .handOver(let scope):
            orders.handOver(Self.workspace(scope)) { [self] in handle(.handedOver(scope), orders) }
        case .drop(let scope): orders.drop(Self.workspace(scope))
        case .dial(let owner): orders.dial(owner)
        case .hangUp(let holder): orders.hangUp(holder)
        case .tellOfVersion(let owner):
            logger.error(
                "a relay speaks another version of links: this node serves nobody of the workspaces that it owns",
                metadata: [
                    "owner": "\(owner.name)", "owner.version": "\(owner.version)", "version": "\(NodeLinkProtocol.version)",
                ])
        case .leave: orders.leave()
        case .renew: break
        }
    }

    private func renew(_ orders: Orders) {
        let (asked, isLeaving) = (ContinuousClock.now, state.withLock { $0.isLeaving })
        do throws(LogError) {
            try store.renew(isLeaving: isLeaving)
            state.withLock { $0.renewed = asked }
        } catch {
            guard error.code == .fenced else {
                return logger.error("this node cannot say that it is alive", metadata: ["error": "\(error)"])
            }
            orders.lost(error)
        }
    }

    // MARK: - Claims

    private func claim(_ workspace: WorkspaceID, _ generation: Int64, _ orders: Orders) {
        do {
            guard let owned = try store.claim(workspace, generation: generation) else {
                return handle(.claimFailed(workspace.rawValue), orders)
            }
            let loaded: LogState
            do { loaded = try load(owned.log) } catch {
                // Another node may be able to load the workspace. If even this fails, its row still names this node, which claims
                // it again.
                do throws(LogError) { try owned.handOver() } catch let second {
                    logger.error(
                        "a workspace that cannot be loaded is not set free either",
                        metadata: ["workspace.id": "\(workspace)", "error": "\(second)"])
                }
                throw error
            }
            orders.serve(owned, loaded) { [self] in handle(.claimed(workspace.rawValue), orders) }
        } catch {
            logger.error(
                "a workspace cannot be taken over yet", metadata: ["workspace.id": "\(workspace)", "error": "\(error)"])
            handle(.claimFailed(workspace.rawValue), orders)
        }
    }

    private static func workspace(_ scope: String) -> WorkspaceID {
        guard let workspace = WorkspaceID(scope) else { preconditionFailure("a view has workspaces by their ids") }
        return workspace
    }
}
