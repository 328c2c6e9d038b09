import RelayCore
import RelayProtocol

/// A workspace that this node owns, as the ports to what is stored of it.
struct OwnedWorkspace: Sendable {
    let id: WorkspaceID
    /// As the database counts it; its pushes' numbers begin with it.
    let number: Int32
    let log: any SessionLog & Sendable
    let upkeep: any StoreUpkeep & Sendable
    /// Calls this once, from any thread, when a commit was refused as another's.
    let whenLost: @Sendable (@escaping @Sendable (LogError) -> Void) -> Void
    /// Sets it free for another node. Nothing of it is committed afterwards.
    let handOver: @Sendable () throws(LogError) -> Void
    /// Lets go of what this process has open for it.
    let close: @Sendable () -> Void
}
