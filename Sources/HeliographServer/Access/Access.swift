import Dispatch
import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// The gate with the store behind it, on the loop's thread.
final class Access {
    var gate: Gate
    let store: any CredentialStore
    private var workspaces: [WorkspaceID: String] = [:]
    private let loop: EventLoop
    private let logger: Logger
    /// The store's writes and reads: off the loop.
    private let queue = DispatchQueue(label: "heliograph.credentials")

    init(store: any CredentialStore, publicURL: String?, loop: EventLoop, logger: Logger) throws {
        self.store = store
        self.loop = loop
        self.logger = logger
        gate = Gate(publicURL: publicURL)
        for workspace in try store.workspaces() { workspaces[workspace.id] = workspace.name }
        _ = gate.replaceTokens(try store.tokens())
    }

    func workspace(_ id: WorkspaceID) -> Named<WorkspaceTag> { Named(id: id, name: workspaces[id] ?? id.rawValue) }

    /// Whom a client's token speaks for.
    func client(_ token: Token) -> ClientIdentity {
        guard let id = ClientID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
        return ClientIdentity(workspace: workspace(token.workspace), client: Named(id: id, name: token.name))
    }

    /// Lets an upgraded connection in, unless its token was revoked meanwhile.
    func admit(_ connection: ConnectionID, _ visitor: Gate.Visitor) -> Bool {
        gate.connected(connection, visitor)
        if gate.holds(visitor.token) { return true }
        gate.disconnected(connection)
        loop.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
        return false
    }

    /// Reads the tokens anew; whoever came in by one that is revoked is shown out at once.
    func reload() throws {
        for connection in gate.replaceTokens(try store.tokens()) {
            logger.notice("closing a connection whose token was revoked", metadata: ["connection.id": "\(connection)"])
            loop.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
        }
    }

    /// Does store work off the loop and comes back with the result.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (any CredentialStore) throws -> Result,
        then answer: @escaping (Swift.Result<Result, any Error>) -> Void
    ) {
        let bound = LoopBound(answer, loop: loop)
        let (store, handle) = (store, loop.handle)
        queue.async {
            let result = Swift.Result { try work(store) }
            handle.execute { bound.value(result) }
        }
    }
}
