import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The authenticator with the store behind it, and who came in by it. Lives on the core's thread.
final class Access {
    private(set) var authenticator: Authenticator { didSet { admission.change(to: authenticator) } }
    /// The authenticator's copy for other threads.
    let admission: AdmissionControl
    private(set) var peers: [ConnectionID: AuthenticatedPeer] = [:]
    private let store: any CredentialStore
    private let workspaceStore: any WorkspaceStore
    /// Workspaces that the core was told are removed.
    private var removed: Set<WorkspaceID> = []
    /// Of those, the erased.
    private var erased: Set<WorkspaceID> = []
    let uses: TokenUses
    /// Names of the existing workspaces, by id.
    private(set) var workspaces: [WorkspaceID: String] = [:]
    private(set) var firstWorkspace: WorkspaceID?
    /// The number of those that strangers registered.
    private(set) var registered: Int
    /// Limits of single workspaces.
    private(set) var limits: [WorkspaceID: WorkspaceLimits]
    private let loop: EventLoop
    private let connections: PeerConnections
    private let mailbox: CoreMailbox
    private let logger: Logger
    private let queue: StoreQueue
    /// The store is read now.
    private var isReading = false
    /// Requests that wait for the read under way.
    private var readers: [Reader] = []
    /// Requests that came during the read, which may be older than what they know of; the next read answers them.
    private var nextReaders: [Reader] = []
    private var isReadingLater = false

    /// Revocations that the store has not taken: who is ended by them is let in by nothing, as long as this process lives.
    private(set) var unwritten: [TokenRevocation] = []
    /// Tokens of the store, with what it has not taken: valid ones, revoked ones by which others were let in, and those that only this process
    /// knows to be revoked.
    private var known: [Token]
    /// The clients that the core was last told of.
    private var clientsListed: Set<ClientKey>
    private var isWritingLater = false
    private(set) lazy var openCodes = OpenPairingCodes(loop: loop) { [unowned self] answer in
        perform(.change, for: .relay) {
            try $0.openPairingCodes(at: WallClock.milliseconds)
        } then: { (result: Result<[PairingCode], any Error>) in
            answer(try? Set(result.get().map(\.digest)))
        }
    }

    private typealias Reader = (Result<Void, any Error>) -> Void

    /// Tells other nodes of a change that was made here, and calls back when those that can be reached have taken it up.
    var tellOthers: (@escaping () -> Void) -> Void = { $0() }

    /// Asks other nodes to refuse a token whose revocation no store takes, and to disconnect its users. Calls back when they have, or
    /// with nil if there are none.
    var shutOutElsewhere: (TokenRevocation, @escaping (Elsewhere?) -> Void) -> Void = { $1(nil) }

    /// Each holds a request.
    private static let nextReadersMax = 32
    /// Between two tries to read a store that does not answer.
    private static let retryInterval = Duration.seconds(1)
    /// Between two tries to write to a store that takes nothing.
    private static let writingInterval = Duration.seconds(2)
    /// More at once are a store's, or wait for one.
    private static let unwrittenMax = 256

    init(
        store: any CredentialStore, workspaces: any WorkspaceStore, publicURL: String?, limits: ServerLimits,
        loop: EventLoop, connections: PeerConnections, mailbox: CoreMailbox, logger: Logger
    ) throws {
        self.store = store
        workspaceStore = workspaces
        self.loop = loop
        self.connections = connections
        self.mailbox = mailbox
        self.logger = logger
        let entrants = try Entrants(store, workspaces)
        var authenticator = Authenticator(publicURL: publicURL)
        authenticator.replaceTokens(entrants.tokens)
        known = entrants.tokens
        self.authenticator = authenticator
        clientsListed = authenticator.clients
        self.limits = entrants.limits
        admission = AdmissionControl(authenticator, limits, entrants.limits)
        queue = StoreQueue(loop: loop)
        uses = TokenUses(store: store, loop: loop, queue: queue, logger: logger)
        self.workspaces = entrants.workspaces
        firstWorkspace = entrants.firstWorkspace
        registered = entrants.registered
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
    func authenticate(_ request: HTTPRequest, to scope: Scope) throws(Authenticator.AuthenticationError) -> Token {
        let token = try authenticator.authenticate(request, to: scope, isUpgrade: false)
        uses.note(token, from: request.peer)
        return token
    }

    /// Lets an upgraded connection in, unless its token was revoked meanwhile.
    func admit(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) -> Bool {
        guard authenticator.knows(authenticated.token) else {
            connections.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
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

    /// A connection that lasts is a use, too.
    func noteConnected() {
        for peer in peers.values { uses.note(peer.token, from: peer.peer) }
    }

    /// This process's present counts of tokens' uses; connections are counted if `isCounted` says so.
    func sightings(where isCounted: (Token) -> Bool = { _ in true }) -> TokenSightings {
        var seen = TokenSightings()
        for peer in peers.values where isCounted(peer.token) { seen.connections[peer.token.id, default: 0] += 1 }
        seen.uses = uses.latest
        return seen
    }

    // MARK: - Asking the store

    /// Asks the store off the loop, and comes back with what came of it, or with a `StoreQueue.QueueError`.
    func perform<Value: Sendable>(
        _ kind: StoreQueue.Turns.Kind, for caller: StoreQueue.Turns.Caller,
        _ work: @escaping @Sendable (any CredentialStore) throws -> Value,
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        let store = store
        queue.perform(kind, for: caller, { try work(store) }, then: answer)
    }

    /// The same for what changes who may come in, unless it comes to a `Value` that `isChange` says changed nothing. `answer` is called when
    /// that holds here, and before those who are shown out by it go.
    func change<Value: Sendable>(
        for caller: StoreQueue.Turns.Caller, where isChange: @escaping @Sendable (Value) -> Bool,
        _ work: @escaping @Sendable (any CredentialStore) throws -> Value,
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        let (store, workspaceStore, unwritten) = (store, workspaceStore, unwritten)
        queue.perform(.change, for: caller) {
            // First, as a store does with what waits in it: a code that a revoked token has made lets nobody in.
            for revocation in unwritten { _ = try store.revoke(revocation) }
            let value = try work(store)
            guard isChange(value) || !unwritten.isEmpty else { return (value, nil) }
            // Read, not taken from what was done: it may be otherwise by now.
            return (value, Result { try Entrants(store, workspaceStore) })
        } ended: { [self] (result: Result<(Value, Result<Entrants, any Error>?), any Error>) in
            switch result {
            case .success((_, nil)): break
            case .success((_, .success(let entrants)?)):
                take(entrants)
                let bound = LoopBound(self, loop: loop)
                loop.handle.execute { bound.value.showOut() }
            case .success((_, .failure(let error)?)): couldNotRead(error)
            // The change may have been made.
            case .failure(let error as LogError) where error.code == .inDoubt: reload()
            case .failure: break
            }
        } then: { [self] result in
            let told = result.flatMap { value, entrants in
                entrants.map { $0.map { _ in value }.mapError { _ in StoreQueue.QueueError.notTakenUp } } ?? .success(value)
            }
            guard case .success((_, _?)) = result, case .success = told else { return answer(told) }
            tellOthers { answer(told) }
        }
    }

    /// Makes a workspace for a stranger.
    func register(
        for caller: StoreQueue.Turns.Caller,
        _ make: @escaping @Sendable (any WorkspaceStore, any CredentialStore) throws -> RegistrationAnswer,
        then answer: @escaping (Result<RegistrationAnswer, any Error>) -> Void
    ) {
        let workspaces = workspaceStore
        change(for: caller, where: { _ in true }, { try make(workspaces, $0) }, then: answer)
    }

    /// Deletes the registered workspaces that the rules call idle and for which `isOwn` is true. Returns them.
    func removeIdle(
        by rules: RegistrationRules, where isOwn: (WorkspaceID) -> Bool,
        then answer: @escaping (Result<[WorkspaceID], any Error>) -> Void
    ) {
        // Uses of the last half minute may not be in the store.
        let (workspaceStore, own, uses) = (workspaceStore, Set(workspaces.keys.filter(isOwn)), uses.latest)
        change(for: .relay, where: { !$0.isEmpty }) { store in
            let now = WallClock.milliseconds
            let tokens = try store.allTokens().map { token in
                var token = token
                token.lastUse = .latest(token.lastUse, uses[token.id])
                return token
            }
            let idle = rules.idle(try workspaceStore.registrations(), tokens: tokens, at: now).filter(own.contains)
            for workspace in idle {
                _ = try workspaceStore.removeWorkspace(workspace, at: now)
                try workspaceStore.eraseWorkspace(workspace)
            }
            return idle
        } then: {
            answer($0)
        }
    }

    // MARK: - Revoking

    /// Result of a revocation.
    struct Revoked {
        /// The tokens that it ended, the named one first.
        let tokens: [Token]
        /// Why it holds in this process alone, until the store takes it; nil: it is stored.
        let reason: (any Error)?
        /// How many other nodes hold the revocation, if it is not stored; nil on a relay that is alone.
        let elsewhere: Elsewhere?
    }

    struct Elsewhere: Equatable {
        /// The others on the database.
        let relays: Int
        /// Other nodes that hold the revocation in memory.
        let holding: Int

        /// To be added to why it is not stored.
        var sentence: String {
            "; it is shut out at \(holding) of \(relays) other relays on the database, too"
                + (holding < relays ? ", and may get in at the rest" : "")
        }
    }

    /// Revokes tokens, whatever the store does: if it does not take that, they are refused all the same, their users are disconnected,
    /// and it is tried again until the store does. `answer` is called before they are disconnected, unless other nodes are asked first.
    func revoke(_ revocation: TokenRevocation, then answer: @escaping (Result<Revoked, any Error>) -> Void) {
        // Another process may have ended it without a word to this one.
        let isValidHere = known.contains { $0.id == revocation.id && $0.revokedAt == nil }
        change(for: revocation.workspace.map { .workspace($0) } ?? .relay, where: { isValidHere || !$0.isEmpty }) {
            try $0.revoke(revocation)
        } then: { [self] result in
            switch result {
            case .success(let ended): answer(.success(Revoked(tokens: ended, reason: nil, elsewhere: nil)))
            case .failure(let error): revokeUnwritten(revocation, error, then: answer)
            }
        }
    }

    private func revokeUnwritten(
        _ revocation: TokenRevocation, _ error: any Error, then answer: @escaping (Result<Revoked, any Error>) -> Void
    ) {
        let ended = hold(revocation, error)
        guard !ended.isEmpty else { return answer(.failure(error)) }
        shutOutElsewhere(revocation) { answer(.success(Revoked(tokens: ended, reason: error, elsewhere: $0))) }
    }

    /// Another node has found that the store does not take it. False: nobody here is ended by it, or too many wait already.
    func hold(_ revocation: TokenRevocation) -> Bool {
        known.contains { $0.id == revocation.id && $0.revokedAt != nil } || !hold(revocation, nil).isEmpty
    }

    /// Applies it in this process. `error` is the store's reason for not taking it; nil: another node's store has not.
    private func hold(_ revocation: TokenRevocation, _ error: (any Error)?) -> [Token] {
        let ended = revocation.ended(of: known)
        guard !ended.isEmpty, unwritten.count < Self.unwrittenMax else { return [] }
        unwritten.append(revocation)
        logger.critical(
            "a revocation is not on disk: it holds until this process ends, and is tried again until the store takes it",
            metadata: [
                "token.ids": "\(ended.map(\.id).joined(separator: " "))",
                "error": "\(error.map { "\($0)" } ?? "another relay on the database could not store it")",
            ])
        takeTokens(known)
        let bound = LoopBound(self, loop: loop)
        loop.handle.execute { bound.value.showOut() }
        writeLater()
        return ended
    }

    private func writeLater() {
        guard !isWritingLater else { return }
        isWritingLater = true
        _ = loop.schedule(after: Self.writingInterval) { [weak self] in self?.writeUnwritten() }
    }

    private func writeUnwritten() {
        let count = unwritten.count
        // As before every change.
        change(for: .relay, where: { _ in true }) { _ in
        } then: { [self] result in
            isWritingLater = false
            guard case .success = result else { return writeLater() }
            unwritten.removeFirst(count)
            logger.notice("revocations that were not on disk are now", metadata: ["count": "\(count)"])
            if !unwritten.isEmpty { writeLater() }
        }
    }

    /// Reads tokens and workspaces again; peers whose token is revoked are disconnected by the time of the answer, and devices of
    /// clients without one are forgotten. Where the store cannot be read, it is tried again until it can.
    func reload(then answer: @escaping (Result<Void, any Error>) -> Void = { _ in }) {
        guard isReading else {
            readers = [answer]
            return read()
        }
        guard nextReaders.count < Self.nextReadersMax else { return answer(.failure(StoreQueue.QueueError.tooMany)) }
        nextReaders.append(answer)
    }

    private func read() {
        isReading = true
        let (store, workspaceStore) = (store, workspaceStore)
        queue.perform(.change, for: .relay) {
            try Entrants(store, workspaceStore)
        } ended: { [self] result in
            isReading = false
            switch result {
            case .success(let entrants):
                take(entrants)
                showOut()
            case .failure(let error): couldNotRead(error)
            }
            // Else they are answered first.
            if readers.isEmpty { readForNext() }
        } then: { [self] result in
            let answers = readers
            readers = []
            for answer in answers { answer(result.map { _ in }) }
            readForNext()
        }
    }

    private func readForNext() {
        guard !isReading, !nextReaders.isEmpty else { return }
        (readers, nextReaders) = (nextReaders, [])
        read()
    }

    private func couldNotRead(_ error: any Error) {
        logger.error("tokens and workspaces cannot be read yet", metadata: ["error": "\(error)"])
        guard !isReadingLater else { return }
        isReadingLater = true
        _ = loop.schedule(after: Self.retryInterval) { [weak self] in
            self?.isReadingLater = false
            self?.reload()
        }
    }

    private func take(_ entrants: Entrants) {
        workspaces = entrants.workspaces
        firstWorkspace = entrants.firstWorkspace
        registered = entrants.registered
        takeTokens(entrants.tokens)
        if limits != entrants.limits {
            limits = entrants.limits
            admission.change(to: limits)
            mailbox.put(.limitsListed(limits))
        }
        for workspace in entrants.removed where removed.insert(workspace).inserted {
            mailbox.put(.workspaceRemoved(workspace))
        }
        // One may be removed first and erased later.
        for workspace in entrants.erased where erased.insert(workspace).inserted {
            mailbox.put(.workspaceRemoved(workspace))
        }
    }

    private func takeTokens(_ tokens: [Token]) {
        let tokens = unwritten.applied(to: tokens)
        // A request that changes nothing, or has the tokens read again, costs neither the loops nor the core anything.
        guard tokens != known else { return }
        known = tokens
        authenticator.replaceTokens(tokens)
        let clients = authenticator.clients
        guard clients != clientsListed else { return }
        clientsListed = clients
        mailbox.put(.clientsListed(clients))
    }

    private func showOut() {
        for (connection, authenticated) in peers where !authenticator.knows(authenticated.token) {
            logger.notice("closing a connection whose token was revoked", metadata: ["connection.id": "\(connection)"])
            connections.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
        }
    }
}
