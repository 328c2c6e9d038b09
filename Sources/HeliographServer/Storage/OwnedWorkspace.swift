import RelayCore
import RelayProtocol

/// A workspace that this node owns, with the ports to its stored data.
struct OwnedWorkspace: Sendable {
    let id: WorkspaceID
    /// The workspace's number in the database, with which its pushes' numbers begin.
    let number: Int32
    let log: any SessionLog & Sendable
    let upkeep: any StoreUpkeep & Sendable
    /// Sets a listener, which is called once, on any thread, when a commit was refused because another node owns the workspace.
    let whenLost: @Sendable (@escaping @Sendable (LogError) -> Void) -> Void
    /// Releases it for another node. Nothing can be committed to it after this.
    let handOver: @Sendable () throws(LogError) -> Void
    /// Closes this process's connections for it.
    let close: @Sendable () -> Void
}
