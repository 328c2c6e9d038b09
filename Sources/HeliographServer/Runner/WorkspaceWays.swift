import RelayProtocol
import Synchronization

/// The node that serves each workspace's peers, for all loops: read when a peer wants to connect. Safe on any thread.
final class WorkspaceWays: Sendable {
    enum Way: Sendable {
        /// This node owns it.
        case here
        /// Another node owns it, and there is a link to that.
        case there
    }

    private let ways = Mutex<[WorkspaceID: Way]>([:])

    /// Nil: nobody serves the workspace, as far as this node knows.
    subscript(workspace: WorkspaceID) -> Way? { ways.withLock { $0[workspace] } }

    func replace(with ways: [WorkspaceID: Way]) { self.ways.withLock { $0 = ways } }
}
