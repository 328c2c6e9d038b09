import Dispatch
import RelayCluster
import RelayCore
import RelayProtocol
import StoreTestSupport
import Synchronization
import Testing

@testable import HeliographServer

/// A node's looks at a database that answers some questions and not others.
@Suite(.serialized) struct PlacementWatchTests {
    /// Returns the states that the test sets.
    private final class Database: PlacementStore {
        struct State {
            var rows: [PlacementView.Row]
            var takesWrites = true
            var claims = 0
            var handedOver: [WorkspaceID] = []
            var renewals: [Bool] = []
        }

        let holder = "own"
        let state: Mutex<State>
        private let others: [NodeAddress]

        init(_ rows: [PlacementView.Row], others: [NodeAddress] = []) {
            state = Mutex(State(rows: rows))
            self.others = others
        }

        func look() throws(LogError) -> (view: PlacementView, changes: Int64) {
            let own = NodeAddress(holder: holder, name: "n1", url: "http://n1", secret: "s", version: NodeLinkProtocol.version)
            return (PlacementView(rows: state.withLock { $0.rows }, nodes: [own] + others), 0)
        }

        func renew(isLeaving: Bool) throws(LogError) {
            let isTaken = state.withLock { state in
                if state.takesWrites { state.renewals.append(isLeaving) }
                return state.takesWrites
            }
            if !isTaken { throw Self.refusal }
        }

        func durability() throws(LogError) -> DatabaseDurability {
            DatabaseDurability(isSynchronous: true, standbysInSync: 1, standbysNeeded: 1)
        }

        func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> OwnedWorkspace? {
            let isTaken = state.withLock { state in
                state.claims += 1
                guard state.takesWrites else { return false }
                for index in state.rows.indices where state.rows[index].scope == workspace.rawValue {
                    (state.rows[index].generation, state.rows[index].holder) = (generation + 1, holder)
                    state.rows[index].isFree = false
                }
                return true
            }
            guard isTaken else { throw Self.refusal }
            let store = InMemoryStore(epoch: Epoch("e1")!, workspaces: [Named(id: workspace, name: "w")])
            return OwnedWorkspace(
                id: workspace, number: 1, log: store, upkeep: Unkept(), whenLost: { _ in },
                handOver: { [self] () throws(LogError) in
                    state.withLock { state in
                        state.handedOver.append(workspace)
                        for index in state.rows.indices where state.rows[index].scope == workspace.rawValue {
                            (state.rows[index].holder, state.rows[index].isFree) = (nil, true)
                        }
                    }
                }, close: {})
        }

        private static let refusal = LogError(.unreachable(isPassing: true), "it takes no write")
    }

    /// The watch's orders, as texts.
    private final class Orders: Sendable {
        private let said = Mutex<[String]>([])
        private let count = DispatchSemaphore(value: 0)

        func note(_ words: String) {
            said.withLock { $0.append(words) }
            count.signal()
        }

        /// Waits for the next order.
        func waitForOne() -> Bool { count.wait(timeout: .now() + PlacementWatchTests.waitMax) == .success }

        /// Waits until this was ordered.
        func wait(for words: String) -> Bool {
            let deadline = DispatchTime.now() + PlacementWatchTests.waitMax
            while !said.withLock({ $0.contains(words) }) {
                if count.wait(timeout: deadline) == .timedOut { return false }
            }
            return true
        }

        func orders(
            handOver: @escaping @Sendable (WorkspaceID, @escaping @Sendable () -> Void) -> Void = { _, done in
                DispatchQueue.global().async(execute: done)
            }
        )
            -> PlacementWatch.Orders
        {
            PlacementWatch.Orders(
                seen: { [self] view in note("seen \(view.rows.count)") }, dial: { [self] in note("dial \($0.holder)") },
                hangUp: { [self] in note("hang up \($0)") }, entrantsChanged: { [self] in note("entrants") },
                durabilityChanged: { [self] in note("synchronous \($0.isSynchronous)") },
                serve: { [self] owned, _, done in
                    note("serve \(owned.id)")
                    done()
                },
                handOver: { [self] workspace, done in
                    note("hand over \(workspace)")
                    handOver(workspace, done)
                }, drop: { [self] in note("drop \($0)") }, leave: { [self] in note("leave") },
                lost: { [self] _ in note("lost") })
        }
    }

    private static let waitMax = DispatchTimeInterval.seconds(30)

    private func watch(_ database: Database) -> PlacementWatch {
        PlacementWatch(database, load: { _ in LogState() }, silent)
    }

    private static let free = PlacementView.Row(scope: "w1", number: 1, generation: 3, holder: nil, isFree: true)

    @Test func `a free workspace is claimed and served, and handed over when the node ends`() throws {
        let other = NodeAddress(holder: "other", name: "n2", url: "http://n2", secret: "s", version: NodeLinkProtocol.version)
        // Its preferred node does not matter, because no other claims it.
        let (database, orders) = (Database([Self.free], others: [other]), Orders())
        let watch = watch(database)
        let carriedOut = orders.orders()
        try watch.start(carriedOut)
        #expect(orders.wait(for: "serve w1") && orders.wait(for: "synchronous true") && orders.wait(for: "entrants"))
        #expect(watch.leaseLeft > .zero)
        watch.drain(carriedOut)
        #expect(orders.wait(for: "hand over w1"))
        #expect(database.state.withLock { $0.renewals.contains(true) }, "the others know before it is free")
        watch.finish()
    }

    @Test func `a renewal that fails does not keep an edge from its owner`() throws {
        let owner = NodeAddress(holder: "other", name: "n2", url: "http://n2", secret: "s", version: NodeLinkProtocol.version)
        let held = PlacementView.Row(scope: "w1", number: 1, generation: 3, holder: "other", isFree: false)
        let (database, orders) = (Database([held], others: [owner]), Orders())
        database.state.withLock { $0.takesWrites = false }
        let watch = watch(database)
        try watch.start(orders.orders())
        #expect(orders.wait(for: "dial other"))
        watch.finish()
        #expect(database.state.withLock { $0.claims } == 0)
    }

    @Test func `a claim that fails is made again, whatever failed before it`() throws {
        let (database, orders) = (Database([Self.free]), Orders())
        database.state.withLock { $0.takesWrites = false }
        let watch = watch(database)
        try watch.start(orders.orders())
        while database.state.withLock({ $0.claims }) < 2, orders.waitForOne() {}
        #expect(database.state.withLock { $0.claims } >= 2)
        database.state.withLock { $0.takesWrites = true }
        #expect(orders.wait(for: "serve w1"))
        watch.finish()
    }
}
