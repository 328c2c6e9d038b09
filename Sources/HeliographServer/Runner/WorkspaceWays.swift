import RelayProtocol
import Synchronization

/// The node that serves each workspace's peers, for all loops: they ask when a peer wants to connect. From any thread.
final class WorkspaceWays: Sendable {
    enum Way: Sendable {
        /// This node owns it.
        case here
        /// Another does, and there is a link to it.
        case there
    }

    private let ways = Mutex<[WorkspaceID: Way]>([:])

    /// Nil: nobody serves it, as far as this node knows.
    subscript(workspace: WorkspaceID) -> Way? { ways.withLock { $0[workspace] } }

    func replace(with ways: [WorkspaceID: Way]) { self.ways.withLock { $0 = ways } }
}
