import RelayCluster
import RelayCore
import RelayProtocol

/// A `PlacementWatch`'s view of its node's store; see `OpenNode`. From any thread.
protocol PlacementStore: Sendable {
    var holder: String { get }
    func look() throws(LogError) -> (view: PlacementView, changes: Int64)
    func renew(isLeaving: Bool) throws(LogError)
    func durability() throws(LogError) -> DatabaseDurability
    /// Nil: another was quicker.
    func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> OwnedWorkspace?
}

extension OpenNode: PlacementStore {}
