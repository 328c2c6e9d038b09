import RelayCore
import RelayProtocol
import Synchronization
import WebSocketEngine

/// Admission control for all loops: called when a peer wants to connect, has connected or disconnects, never for a message.
final class AdmissionControl: Sendable {
    /// New peers that are refused for want of memory.
    enum MemoryRefusal: Sendable {
        case nobody
        case workspaces(Set<WorkspaceID>)
        case all

        fileprivate func concerns(_ workspace: WorkspaceID) -> Bool {
            switch self {
            case .nobody: false
            case .workspaces(let large): large.contains(workspace)
            case .all: true
            }
        }
    }

    private struct State {
        var authenticator: Authenticator
        var connectionLimiter: ConnectionLimiter
        /// True if the relay's store cannot be read, or the relay is ending.
        var isShut = false
        var memoryRefusal = MemoryRefusal.nobody
    }

    private let state: Mutex<State>

    /// `own`: limits of single workspaces.
    init(_ authenticator: Authenticator, _ limits: ServerLimits, _ own: [WorkspaceID: WorkspaceLimits] = [:]) {
        var limiter = ConnectionLimiter(limits)
        limiter.allow(own)
        state = Mutex(State(authenticator: authenticator, connectionLimiter: limiter))
    }

    /// The current authenticator; nil while nobody is admitted.
    var authenticator: Authenticator? { state.withLock { $0.isShut ? nil : $0.authenticator } }

    func change(to authenticator: Authenticator) { state.withLock { $0.authenticator = authenticator } }
    func change(to limits: [WorkspaceID: WorkspaceLimits]) { state.withLock { $0.connectionLimiter.allow(limits) } }
    func shut(_ isShut: Bool) { state.withLock { $0.isShut = isShut } }
    func refuseNew(_ refusal: MemoryRefusal) { state.withLock { $0.memoryRefusal = refusal } }

    // MARK: - How many

    /// Counts a request of an address; see `ConnectionLimiter.asked`.
    func asked(_ address: Peer, at now: Int64) -> Int64 { state.withLock { $0.connectionLimiter.asked(address, at: now) } }

    /// Counts a connection in; a call of `leave` must follow.
    func enter(_ authenticated: AuthenticatedPeer) throws(ConnectionLimiter.LimitError) {
        try state.withLock { state throws(ConnectionLimiter.LimitError) in
            if state.memoryRefusal.concerns(authenticated.token.workspace) { throw .memory }
            try state.connectionLimiter.enter(
                address: authenticated.address, token: authenticated.token.id, workspace: authenticated.token.workspace)
        }
    }

    func leave(_ authenticated: AuthenticatedPeer) {
        state.withLock {
            $0.connectionLimiter.leave(
                address: authenticated.address, token: authenticated.token.id, workspace: authenticated.token.workspace)
        }
    }
}
