import Dispatch
import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The gate with the store behind it, and who came in by it. Lives on the core's thread.
final class Access {
    private(set) var gate: Gate { didSet { door.change(to: gate) } }
    /// The same gate, for other threads.
    let door: Door
    private(set) var visitors: [ConnectionID: Gate.Visitor] = [:]
    let store: any CredentialStore
    /// Told who holds a client's token, whenever the tokens have been read anew.
    var clientsListed: (Set<ClientKey>) -> Void = { _ in }
    let uses: TokenUses
    private var workspaces: [WorkspaceID: String] = [:]
    private let loops: EventLoopGroup
    private let logger: Logger
    /// The store's writes and reads: off the loop.
    private let queue = DispatchQueue(label: "heliograph.credentials")

    init(
        store: any CredentialStore, publicURL: String?, limits: ServerLimits, loops: EventLoopGroup, logger: Logger
    ) throws {
        self.store = store
        self.loops = loops
        self.logger = logger
        var gate = Gate(publicURL: publicURL)
        gate.replaceTokens(try store.tokens())
        self.gate = gate
        door = Door(gate, limits)
        uses = TokenUses(store: store, loop: loops.main, queue: queue, logger: logger)
        for workspace in try store.workspaces() { workspaces[workspace.id] = workspace.name }
    }

    func workspace(_ id: WorkspaceID) -> Named<WorkspaceTag> { Named(id: id, name: workspaces[id] ?? id.rawValue) }

    /// Whom a client's token speaks for.
    func client(_ token: Token) -> ClientIdentity {
        guard let id = ClientID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
        return ClientIdentity(workspace: workspace(token.workspace), client: Named(id: id, name: token.name))
    }

    /// Who sends this request.
    func authenticate(_ request: HTTPRequest, as role: PairingRole?) throws(Gate.Refusal) -> Token {
        let token = try gate.authenticate(request, as: role, isUpgrade: false)
        uses.note(token)
        return token
    }

    /// Lets an upgraded connection in, unless its token was revoked meanwhile.
    func admit(_ connection: ConnectionID, _ visitor: Gate.Visitor) -> Bool {
        guard gate.holds(visitor.token) else {
            loops.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
            return false
        }
        visitors[connection] = visitor
        uses.note(visitor.token)
        return true
    }

    /// Who had come in by it; nil: nobody was let in.
    func disconnected(_ connection: ConnectionID) -> Gate.Visitor? {
        let visitor = visitors.removeValue(forKey: connection)
        if let token = visitor?.token { uses.note(token) }
        return visitor
    }

    /// Of all tokens, as it is now.
    func roster(_ tokens: [Token]) -> TokenRoster {
        TokenRoster(tokens, connections: visitors.values.reduce(into: [:]) { $0[$1.token.id, default: 0] += 1 }, uses.latest)
    }

    /// Reads the tokens anew; whoever came in by one that is revoked is shown out at once, and devices of clients without one are forgotten.
    func reload() throws {
        gate.replaceTokens(try store.tokens())
        for (connection, visitor) in visitors where !gate.holds(visitor.token) {
            logger.notice("closing a connection whose token was revoked", metadata: ["connection.id": "\(connection)"])
            loops.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
        }
        clientsListed(gate.clients)
    }

    /// Does store work off the loop and comes back with the result.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (any CredentialStore) throws -> Result,
        then answer: @escaping (Swift.Result<Result, any Error>) -> Void
    ) {
        let bound = LoopBound(answer, loop: loops.main)
        let (store, handle) = (store, loops.main.handle)
        queue.async {
            let result = Swift.Result { try work(store) }
            handle.execute { bound.value(result) }
        }
    }
}
