import Dispatch
import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The authenticator with the store behind it, and who came in by it. Lives on the core's thread.
final class Access {
    private(set) var authenticator: Authenticator { didSet { admission.change(to: authenticator) } }
    /// The same authenticator, for other threads.
    let admission: AdmissionControl
    private(set) var peers: [ConnectionID: AuthenticatedPeer] = [:]
    let store: any CredentialStore
    private let workspaceStore: any WorkspaceStore
    /// Those of which the core was told that they are gone.
    private var removed: Set<WorkspaceID> = []
    let uses: TokenUses
    private var workspaces: [WorkspaceID: String] = [:]
    private let loops: EventLoopGroup
    private let mailbox: CoreMailbox
    private let logger: Logger
    /// The store's writes and reads: off the loop.
    private let queue = DispatchQueue(label: "heliograph.credentials")

    init(
        store: any CredentialStore, workspaces: any WorkspaceStore, publicURL: String?, limits: ServerLimits,
        loops: EventLoopGroup, mailbox: CoreMailbox,
        logger: Logger
    ) throws {
        self.store = store
        workspaceStore = workspaces
        self.loops = loops
        self.mailbox = mailbox
        self.logger = logger
        var authenticator = Authenticator(publicURL: publicURL)
        authenticator.replaceTokens(try store.tokens())
        self.authenticator = authenticator
        admission = AdmissionControl(authenticator, limits)
        uses = TokenUses(store: store, loop: loops.main, queue: queue, logger: logger)
        self.workspaces = try Self.names(store)
    }

    private static func names(_ store: any CredentialStore) throws -> [WorkspaceID: String] {
        try store.workspaces().reduce(into: [:]) { $0[$1.id] = $1.name }
    }

    func workspace(_ id: WorkspaceID) -> Named<WorkspaceTag> { Named(id: id, name: workspaces[id] ?? id.rawValue) }

    /// The client that a token speaks for.
    func client(_ token: Token) -> ClientIdentity {
        guard let id = ClientID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
        return ClientIdentity(
            workspace: workspace(token.workspace), client: Named(id: id, name: token.name), scope: token.scope)
    }

    func holder(of token: Token) -> Identity.Holder {
        guard token.role == .host else { return .client(client(token).client) }
        guard let id = HostID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
        return .host(Named(id: id, name: token.name))
    }

    /// The token that this request comes with.
    func authenticate(_ request: HTTPRequest, to scope: Scope) throws(Authenticator.Refusal) -> Token {
        let token = try authenticator.authenticate(request, to: scope, isUpgrade: false)
        uses.note(token, from: request.peer)
        return token
    }

    /// Lets an upgraded connection in, unless its token was revoked meanwhile.
    func admit(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) -> Bool {
        guard authenticator.knows(authenticated.token) else {
            loops.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
            return false
        }
        peers[connection] = authenticated
        uses.note(authenticated.token, from: authenticated.peer)
        return true
    }

    /// The peer that it was; nil: it was not admitted.
    func disconnected(_ connection: ConnectionID) -> AuthenticatedPeer? {
        let authenticated = peers.removeValue(forKey: connection)
        if let authenticated { uses.note(authenticated.token, from: authenticated.peer) }
        return authenticated
    }

    /// All tokens with what is known of their use now.
    func roster(_ tokens: [Token]) -> TokenRoster {
        TokenRoster(tokens, connections: peers.values.reduce(into: [:]) { $0[$1.token.id, default: 0] += 1 }, uses.latest)
    }

    /// Reads tokens and workspaces anew; whoever came in by a token that is revoked is shown out at once, and devices of clients
    /// without one are forgotten.
    func reload() throws {
        // Before the tokens: whoever is let in has a workspace with a name.
        workspaces = try Self.names(store)
        let gone = try workspaceStore.removedWorkspaces()
        authenticator.replaceTokens(try store.tokens())
        for (connection, authenticated) in peers where !authenticator.knows(authenticated.token) {
            logger.notice("closing a connection whose token was revoked", metadata: ["connection.id": "\(connection)"])
            loops.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
        }
        mailbox.put(.clientsListed(authenticator.clients))
        for workspace in gone where removed.insert(workspace).inserted { mailbox.put(.workspaceRemoved(workspace)) }
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
