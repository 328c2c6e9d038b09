import RelayCluster
import RelayCore
import RelayProtocol

/// The part of a node's store that a `PlacementWatch` needs; see `OpenNode`. Used on any thread.
protocol PlacementStore: Sendable {
    var holder: String { get }
    func look() throws(LogError) -> (view: PlacementView, changes: Int64)
    func renew(isLeaving: Bool) throws(LogError)
    func durability() throws(LogError) -> DatabaseDurability
    /// Nil: another node was faster.
    func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> OwnedWorkspace?
}

extension OpenNode: PlacementStore {}
