import RelayCluster
import RelayCore

/// What a `ClusterWatch` asks of its node's store; see `OpenNode`. Called from one thread.
protocol ClusterNode: Sendable {
    var holder: String { get }
    func look() throws(LogError) -> (view: ClusterView, changes: Int64)
    func renew() throws(LogError)
    func claim() throws(LogError) -> OpenStore?
}

extension OpenNode: ClusterNode {}
