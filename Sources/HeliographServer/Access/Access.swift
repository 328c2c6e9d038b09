import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The authenticator with the store behind it, and the peers that were admitted. Confined to the core's thread.
final class Access {
    private(set) var authenticator: Authenticator { didSet { admission.change(to: authenticator) } }
    /// The authenticator's copy for other threads.
    let admission: AdmissionControl
    private(set) var peers: [ConnectionID: AuthenticatedPeer] = [:]
    private let store: any CredentialStore
    private let workspaceStore: any WorkspaceStore
    private let registration: RegistrationRules
    /// Removed workspaces of which the core was notified.
    private var removed: Set<WorkspaceID> = []
    /// The erased among `removed`.
    private var erased: Set<WorkspaceID> = []
    /// Digests of tokens that ended with their workspaces.
    private var departed: Set<[UInt8]> = []
    let uses: TokenUses
    /// Names of the existing workspaces, by id.
    private(set) var workspaces: [WorkspaceID: String] = [:]
    private(set) var firstWorkspace: WorkspaceID?
    /// Number of workspaces that strangers registered.
    private(set) var registered: Int
    /// Limits of single workspaces.
    private(set) var limits: [WorkspaceID: WorkspaceLimits]
    private let loop: EventLoop
    private let connections: PeerConnections
    private let mailbox: CoreMailbox
    private let logger: Logger
    private let queue: StoreQueue
    /// True while the store is being read.
    private var isReading = false
    /// Requests that wait for the read under way.
    private var readers: [Reader] = []
    /// Requests that came during the read, whose result may be too old for them; the next read answers them.
    private var nextReaders: [Reader] = []
    private var isReadingLater = false

    /// Revocations that the store has not accepted: the tokens that they end are refused as long as this process lives.
    private(set) var unwritten: [TokenRevocation] = []
    /// Tokens of the store after the revocations in `unwritten`: valid ones, revoked ones that have paired others, and those that
    /// only this process knows to be revoked.
    private var known: [Token]
    /// The clients that were last reported to the core.
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

    /// Notifies other nodes of a change made here, and calls back when those that can be reached have applied it.
    var tellOthers: (@escaping () -> Void) -> Void = { $0() }

    /// Asks other nodes to refuse a token whose revocation no store accepts, and to disconnect its users. Calls back when they
    /// have, or with nil if there are none.
    var shutOutElsewhere: (TokenRevocation, @escaping (Elsewhere?) -> Void) -> Void = { $1(nil) }

    /// Each holds a request.
    private static let nextReadersMax = 32
    /// Interval between attempts to read a store that does not answer.
    private static let retryInterval = Duration.seconds(1)
    /// Interval between attempts to write to a store that refuses writes.
    private static let writingInterval = Duration.seconds(2)
    /// Limit of revocations that wait for the store.
    private static let unwrittenMax = 256

    init(
        store: any CredentialStore, workspaces: any WorkspaceStore, publicURL: String?, limits: ServerLimits,
        registration: RegistrationRules = RegistrationRules(), loop: EventLoop, connections: PeerConnections,
        mailbox: CoreMailbox, logger: Logger
    ) throws {
        self.store = store
        workspaceStore = workspaces
        self.registration = registration
        self.loop = loop
        self.connections = connections
        self.mailbox = mailbox
        self.logger = logger
        let entrants = try Entrants(store, workspaces, registration)
        var authenticator = Authenticator(publicURL: publicURL)
        authenticator.replaceTokens(entrants.tokens)
        known = entrants.tokens
        self.authenticator = authenticator
        clientsListed = authenticator.clients
        self.limits = entrants.limits
        departed = entrants.departed
        admission = AdmissionControl(authenticator, limits, entrants.limits)
        queue = StoreQueue(loop: loop)
        uses = TokenUses(store: store, loop: loop, queue: queue, logger: logger)
        self.workspaces = entrants.workspaces
        firstWorkspace = entrants.firstWorkspace
        registered = entrants.registered
    }

    func workspace(_ id: WorkspaceID) -> Named<WorkspaceTag> { Named(id: id, name: workspaces[id] ?? id.rawValue) }

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

    /// The token of this request; throws if it is not valid for `scope`.
    func authenticate(_ request: HTTPRequest, to scope: Scope) throws(Authenticator.AuthenticationError) -> Token {
        let token = try authenticator.authenticate(request, to: scope, isUpgrade: false)
        uses.note(token, from: request.peer)
        return token
    }

    /// True if the request's token was one of a workspace that was removed.
    func isOfRemovedWorkspace(_ request: HTTPRequest) -> Bool {
        Authenticator.digest(in: request).map(departed.contains) ?? false
    }

    /// Admits an upgraded connection, unless its token was revoked meanwhile.
    func admit(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) -> Bool {
        guard authenticator.knows(authenticated.token) else {
            connections.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.revoked.reason)
            return false
        }
        peers[connection] = authenticated
        uses.note(authenticated.token, from: authenticated.peer)
        return true
    }

    /// Removes a connection. Returns its peer; nil if it was not admitted.
    func disconnected(_ connection: ConnectionID) -> AuthenticatedPeer? {
        let authenticated = peers.removeValue(forKey: connection)
        if let authenticated { uses.note(authenticated.token, from: authenticated.peer) }
        return authenticated
    }

    /// Notes a use for each connection that is still open.
    func noteConnected() {
        for peer in peers.values { uses.note(peer.token, from: peer.peer) }
    }

    /// This process's present record of tokens' uses; connections are counted if `isCounted` is true for their token.
    func sightings(where isCounted: (Token) -> Bool = { _ in true }) -> TokenSightings {
        var seen = TokenSightings()
        for peer in peers.values where isCounted(peer.token) { seen.connections[peer.token.id, default: 0] += 1 }
        seen.uses = uses.latest
        return seen
    }

    // MARK: - Asking the store

    /// Runs a query of the store off the loop. The answer is its result, or a `StoreQueue.QueueError`.
    func perform<Value: Sendable>(
        _ kind: StoreQueue.Turns.Kind, for caller: StoreQueue.Turns.Caller,
        _ work: @escaping @Sendable (any CredentialStore) throws -> Value,
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        let store = store
        queue.perform(kind, for: caller, { try work(store) }, then: answer)
    }

    /// Runs a change that affects who may connect; if `isChange` is false for its result, it changed nothing. `answer` is called
    /// once the change is in force here, and before the peers that it excludes are disconnected.
    func change<Value: Sendable>(
        for caller: StoreQueue.Turns.Caller, where isChange: @escaping @Sendable (Value) -> Bool,
        _ work: @escaping @Sendable (any CredentialStore) throws -> Value,
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        let (store, workspaceStore, rules, unwritten) = (store, workspaceStore, registration, unwritten)
        queue.perform(.change, for: caller) {
            // Revocations first, so that a code of a revoked token cannot be redeemed.
            for revocation in unwritten { _ = try store.revoke(revocation) }
            let value = try work(store)
            guard isChange(value) || !unwritten.isEmpty else { return (value, nil) }
            // Read again instead of derived from the change, as others may have changed it since.
            return (value, Result { try Entrants(store, workspaceStore, rules) })
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

    func register(
        for caller: StoreQueue.Turns.Caller,
        _ make: @escaping @Sendable (any WorkspaceStore, any CredentialStore) throws -> RegistrationAnswer,
        then answer: @escaping (Result<RegistrationAnswer, any Error>) -> Void
    ) {
        let workspaces = workspaceStore
        change(for: caller, where: { _ in true }, { try make(workspaces, $0) }, then: answer)
    }

    /// Deletes the registered workspaces that are idle by the rules and for which `isOwn` is true. Returns them.
    func removeIdle(
        by rules: RegistrationRules, where isOwn: (WorkspaceID) -> Bool,
        then answer: @escaping (Result<[WorkspaceID], any Error>) -> Void
    ) {
        // Uses of the last half minute may not be in the store yet.
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
        /// Reason why it is in force in this process only, until the store accepts it; nil: it is stored.
        let reason: (any Error)?
        /// Its state on other nodes, if it is not stored; nil on a relay that is alone.
        let elsewhere: Elsewhere?
    }

    struct Elsewhere: Equatable {
        /// Number of other relays on the database.
        let relays: Int
        /// Number of other nodes that have the revocation in memory.
        let holding: Int

        /// Text to add to the reason why it is not stored.
        var sentence: String {
            "; it is shut out at \(holding) of \(relays) other relays on the database, too"
                + (holding < relays ? ", and may get in at the rest" : "")
        }
    }

    /// Revokes tokens, even if the store fails: then they are refused all the same, their users are disconnected, and the write is
    /// repeated until the store accepts it. `answer` is called before they are disconnected, unless other nodes are asked first.
    func revoke(_ revocation: TokenRevocation, then answer: @escaping (Result<Revoked, any Error>) -> Void) {
        // Another process may have ended it without notifying this one.
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

    /// Holds a revocation that another node could not store. False if it ends no token here, or if too many revocations wait
    /// already.
    func hold(_ revocation: TokenRevocation) -> Bool {
        known.contains { $0.id == revocation.id && $0.revokedAt != nil } || !hold(revocation, nil).isEmpty
    }

    /// Applies a revocation in this process. `error`: the store's reason for refusing it; nil: another node's store has refused it.
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
        // An empty change: every change first writes the revocations that wait.
        change(for: .relay, where: { _ in true }) { _ in
        } then: { [self] result in
            isWritingLater = false
            guard case .success = result else { return writeLater() }
            unwritten.removeFirst(count)
            logger.notice("revocations that were not on disk are now", metadata: ["count": "\(count)"])
            if !unwritten.isEmpty { writeLater() }
        }
    }

    /// Reads tokens and workspaces again. By the time of the answer, peers with a revoked token are disconnected, and devices of
    /// clients without a token are removed. If the store cannot be read, this is repeated until it can.
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
        let (store, workspaceStore, rules) = (store, workspaceStore, registration)
        queue.perform(.change, for: .relay) {
            try Entrants(store, workspaceStore, rules)
        } ended: { [self] result in
            isReading = false
            switch result {
            case .success(let entrants):
                take(entrants)
                showOut()
            case .failure(let error): couldNotRead(error)
            }
            // Otherwise those are answered first.
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
        departed = entrants.departed
        takeTokens(entrants.tokens)
        if limits != entrants.limits {
            limits = entrants.limits
            admission.change(to: limits)
            mailbox.put(.limitsListed(limits))
        }
        for workspace in entrants.removed where removed.insert(workspace).inserted {
            // Peers are closed here, as the core would close them without this reason.
            for (connection, peer) in peers where peer.token.workspace == workspace {
                connections.close(connection, code: CloseCode.revoked.rawValue, reason: CloseCode.workspaceRemoved)
            }
            mailbox.put(.workspaceRemoved(workspace))
        }
        // A workspace may be removed first and erased later.
        for workspace in entrants.erased where erased.insert(workspace).inserted {
            mailbox.put(.workspaceRemoved(workspace))
        }
    }

    private func takeTokens(_ tokens: [Token]) {
        let tokens = unwritten.applied(to: tokens)
        // A read without a change, or a repeated one, costs neither the loops nor the core anything.
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
