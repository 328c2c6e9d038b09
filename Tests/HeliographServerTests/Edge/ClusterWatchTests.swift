import Dispatch
import RelayCluster
import RelayCore
import Testing

@testable import HeliographServer

/// A node's looks at a database that answers some questions and not others.
@Suite(.serialized) struct ClusterWatchTests {
    /// It can be looked at, and takes no write.
    private final class ReadOnlyNode: ClusterNode {
        let holder = "own"
        let view: ClusterView
        let claimed = DispatchSemaphore(value: 0)

        init(owner: NodeAddress?) {
            view = ClusterView(
                generation: 1, holder: owner?.holder, isFree: owner == nil, owner: owner,
                nodes: [.init(holder: "own", name: "n1")])
        }

        func look() throws(LogError) -> (view: ClusterView, changes: Int64) { (view, 0) }
        func renew() throws(LogError) { throw Self.refusal }

        func claim() throws(LogError) -> OpenStore? {
            claimed.signal()
            throw Self.refusal
        }

        private static let refusal = LogError(.unreachable(isPassing: true), "it takes no write")
    }

    private static let waitMax = DispatchTimeInterval.seconds(30)

    private func start(_ watch: ClusterWatch, dial: @escaping @Sendable (NodeAddress) -> Void) throws {
        try watch.start(ClusterWatch.Orders(dial: dial, hangUp: {}, entrantsChanged: {}, serve: {}))
    }

    @Test func `a renewal that fails does not keep an edge from its owner`() throws {
        let owner = NodeAddress(holder: "other", name: "n2", url: "http://n2", secret: "s", version: NodeLinkProtocol.version)
        let watch = ClusterWatch(ReadOnlyNode(owner: owner), name: "n1", silent)
        let dialled = DispatchSemaphore(value: 0)
        try start(watch) { address in if address == owner { dialled.signal() } }
        #expect(dialled.wait(timeout: .now() + Self.waitMax) == .success)
        #expect(watch.finish() == nil)
    }

    @Test func `a claim that fails is made again, whatever failed before it`() throws {
        let node = ReadOnlyNode(owner: nil)
        let watch = ClusterWatch(node, name: "n1", silent)
        try start(watch) { _ in }
        for _ in 1...2 { #expect(node.claimed.wait(timeout: .now() + Self.waitMax) == .success) }
        #expect(watch.finish() == nil)
    }
}
