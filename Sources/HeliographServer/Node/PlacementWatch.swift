import Dispatch
import HeliographPlatform
import Logging
import RelayCluster
import RelayCore
import RelayProtocol
import Synchronization

/// Looks at the database for a node, on a thread of its own: who owns which workspace, and what this node shall own. What is claimed is read
/// in the background, so that a large workspace does not keep the node from saying that it is alive.
final class PlacementWatch: Sendable {
    /// Orders for the node; called on threads of this one, one after the other. None may wait, nor call back before it has returned.
    struct Orders: Sendable {
        /// Every look has a view, before what is to be done about it.
        let seen: @Sendable (PlacementView) -> Void
        let dial: @Sendable (NodeAddress) -> Void
        /// Hangs up on the holder of that name.
        let hangUp: @Sendable (String) -> Void
        /// Tokens or workspaces were changed, no matter by whom.
        let entrantsChanged: @Sendable () -> Void
        let durabilityChanged: @Sendable (DatabaseDurability) -> Void
        /// This node owns it, and this is what is stored of it. `done` is to be called when its peers are let in.
        let serve: @Sendable (OwnedWorkspace, LogState, _ done: @escaping @Sendable () -> Void) -> Void
        /// `done` is to be called when its row is free, or is another's.
        let handOver: @Sendable (WorkspaceID, _ done: @escaping @Sendable () -> Void) -> Void
        /// Another owns it.
        let drop: @Sendable (WorkspaceID) -> Void
        let leave: @Sendable () -> Void
        /// Everything that this process owns may be another's by now.
        let lost: @Sendable (LogError) -> Void
    }

    /// Between two looks at what the database survives.
    private static let durabilityInterval = Duration.seconds(30)

    private let store: any PlacementStore
    private let load: @Sendable (any SessionLog) throws -> LogState
    private let logger: Logger
    private let state: Mutex<State>
    private let begin = ContinuousClock.now
    /// The next look is due at once.
    private let wake = DispatchSemaphore(value: 0)
    private let isStopped = DispatchSemaphore(value: 0)
    private let claims = DispatchQueue(label: "heliograph.claims", attributes: .concurrent)
    /// Claims and loads under way.
    private let claimsUnderWay = DispatchGroup()

    private struct State {
        var machine: PlacementMachine
        /// Before the last renewal that came through was sent.
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

    /// A link has ended, or was never opened. The machine's orders come with its next look.
    func linkEnded(_ holder: String) {
        note(.linkEnded(holder))
        hurry()
    }

    /// A node at rest looks at once, and often from then on.
    private func hurry() {
        let wasAtRest = state.withLock { state in
            defer { state.pace.changed(at: .now) }
            return state.pace.isAtRest(at: .now)
        }
        if wasAtRest { wake.signal() }
    }

    /// A commit was refused as another's.
    func lost(_ workspace: WorkspaceID, _ orders: Orders) { handle(.lost(workspace.rawValue), orders) }

    /// This node is to end: others get what it owns. They are told at once, lest one leaves to this node what it sets free.
    func drain(_ orders: Orders) {
        state.withLock { $0.isLeaving = true }
        hurry()
        claims.async(group: claimsUnderWay) { [self] in
            renew(orders)
            note(.drainOrdered)
        }
    }

    /// Time until others may take this process for dead; none or less: they may by now.
    var leaseLeft: Duration { state.withLock { OpenNode.renewalMax - (ContinuousClock.now - $0.renewed) } }

    /// Returns when nothing is asked any more.
    func finish() {
        note(.stopOrdered)
        state.withLock { $0.isOver = true }
        wake.signal()
        isStopped.wait()
        claimsUnderWay.wait()
    }

    /// Threads take turns, with what the machine orders, too: what one of them heard earlier is done earlier. None of it waits for anything
    /// but the renewal, which comes last.
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

    /// Notes a fact that calls for no order at once.
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

    /// False once nothing is to be asked any more.
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
                // Another may be able to. Where even this fails, its row names this node, which claims it once more.
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
