import Glibc
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Plain HTTP at a node: requests that are the same at every node are answered here, those of a workspace by its owner, here or
/// elsewhere. Confined to the main loop's thread.
final class NodeRoutes {
    private let loop: EventLoop
    private let access: Access
    private let responder: Responder
    private let reads: PacedReads
    private let unknownTokens: UnknownTokens
    /// Requests whose token may be new.
    private let doubted: DoubtedRequests
    /// Routes for requests of no workspace.
    private let own: Routes
    private let parts: NodeParts
    /// The codes of notifications of one epoch.
    private let codes: (Epoch) -> PushCodes
    private let measures: Measures
    /// Decides where requests for a workspace from this node's own sockets are sent, and which of them wait.
    private var machine = CallMachine()
    /// Requests that wait, or may have to be forwarded again.
    private var kept: [HTTPRequestID: Kept] = [:]
    /// Timer of the machine's next look if no route changes.
    private var alarm: (due: Int64, timer: TimerID)?
    private var haveWaysChanged = false
    /// Requests of peers that may admit or revoke somebody: they are answered once the change is in force at this node too.
    private var changing: Set<HTTPRequestID> = []
    /// Queries to several owners: the number of missing answers, and the answers so far.
    private var asked: [HTTPRequestID: Question] = [:]
    private var lastAsked: UInt64 = 0

    private struct Kept {
        let request: HTTPRequest
        let workspace: WorkspaceID
    }

    private struct Question {
        var missing: Int
        var answers: [HTTPResponse] = []
        var timer: TimerID?
        let done: ([HTTPResponse]) -> Void
    }

    init(
        loop: EventLoop, access: Access, responder: Responder, reads: PacedReads, unknownTokens: UnknownTokens, own: Routes,
        parts: NodeParts, codes: @escaping (Epoch) -> PushCodes, measures: Measures
    ) {
        self.loop = loop
        self.access = access
        self.responder = responder
        self.reads = reads
        self.unknownTokens = unknownTokens
        doubted = DoubtedRequests(reads)
        self.own = own
        self.parts = parts
        self.codes = codes
        self.measures = measures
        parts.changed = { [weak self] in self?.haveWaysChanged = true }
    }

    func answer(_ request: HTTPRequest, _ id: HTTPRequestID) { answer(request, id, wereTokensRead: nil) }

    /// `wereTokensRead`: whether reading the tokens since the request arrived succeeded; nil: not tried yet.
    private func answer(_ request: HTTPRequest, _ id: HTTPRequestID, wereTokensRead: Bool?) {
        if case .unix = request.peer { return answerAdministrator(request, id) }
        if Self.isOfNoWorkspace(request) { return own.answer(request, id) }
        if responder.answersAlike(request, id) { return }
        if request.method == "POST", request.path.hasPrefix(Routes.decisionsPath) { return decide(request, id) }
        do throws(Authenticator.AuthenticationError) {
            let token = try access.authenticator.authenticate(request, to: [], isUpgrade: false)
            // Every node that gets revocations can answer this.
            if request.path == ProtocolVersion.mePath {
                guard parts.seesDatabase else { return fail(id, "this relay does not reach the database; try again") }
                own.answer(request, id)
            } else {
                carry(request, id, to: token.workspace, for: .token(token.id))
            }
        } catch {
            // Another node may have made the token a moment ago; reading the tokens again shows that.
            guard error == .unknown, wereTokensRead != true, let digest = Authenticator.digest(in: request) else {
                return own.answer(request, id)
            }
            let isKept: Bool
            switch unknownTokens.note(digest) {
            case .refuted: return own.answer(request, id)
            case .doubted where wereTokensRead == nil:
                isKept = doubted.keep(request, id) { [weak self] in self?.answer($0, id, wereTokensRead: $1) }
            case .doubted, .unnoted: isKept = false
            }
            // Not "unauthorized": a client that is told that it is not paired discards its token.
            if !isKept { fail(id, "the relay cannot read who may come in; try again") }
        }
    }

    private func answerAdministrator(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard NodePeer(request.peer) == .administrator, RemotePeer.link(of: id.rawValue) == nil else {
            return answerPart(request, id)
        }
        switch (request.method, request.path) {
        case ("POST", AdminPath.reload): tellOwners { [own] in own.answer(request, id) }
        case ("GET", AdminPath.tokens): gatherTokens(id)
        default: own.answer(request, id)
        }
    }

    /// Answers a node that asks all nodes for their part.
    private func answerPart(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard NodePeer(request.peer) == .administrator else { return own.answer(request, id) }
        switch (request.method, request.path, AdminPath.token(revokedBy: request.path)) {
        case ("GET", AdminPath.tokens, _): own.listSightings(ownSightings, id)
        case ("POST", _, let token?): own.holdRevocation(of: token, request, id)
        default: own.answer(request, id)
        }
    }

    /// Tokens or workspaces were changed through this node. `done` is called when the owners that it reaches have read them again,
    /// so that new tokens are accepted there too. All other nodes notice by themselves.
    func tellOwners(then done: @escaping () -> Void) {
        askOwners("POST", AdminPath.reload) { _ in done() }
    }

    /// A token was revoked through this node, and the database refuses the write: the owners that it reaches are asked once, so
    /// that the token is refused in all of their workspaces, whichever node has the socket.
    func tellOwners(of revocation: TokenRevocation, then done: @escaping (Access.Elsewhere?) -> Void) {
        guard let others = parts.others, others > 0 else { return done(nil) }
        askOwners(
            "POST", AdminPath.revocation(of: revocation.id), query: revocation.by,
            body: RevocationCall(keepsChildren: revocation.keepsChildren).bytes, within: Self.revocationPatience
        ) { answers in
            done(Access.Elsewhere(relays: others, holding: answers.count { $0.status < 300 }))
        }
    }

    /// Time limit for the owners' answers, which they give at once, without the database. The link to a stopped owner may take
    /// longer to end.
    private static let revocationPatience = Duration.seconds(3)

    /// Asks all owners that this node reaches. `done` gets the answers received: one whose link ends is missing, and one that comes
    /// later than `within`.
    private func askOwners(
        _ method: String, _ path: String, query: String? = nil, body: [UInt8] = [], within: Duration? = nil,
        then done: @escaping ([HTTPResponse]) -> Void
    ) {
        let owners = parts.edges.values.filter(\.isServing)
        guard !owners.isEmpty else { return done([]) }
        lastAsked += 1
        let id = HTTPRequestID(rawValue: RemotePeer.call(link: Self.ownLink, number: lastAsked))
        let timer = within.map { loop.schedule(after: $0) { [weak self] in self?.finish(id) } }
        asked[id] = Question(missing: owners.count, timer: timer, done: done)
        let request = HTTPRequest(
            method: method, path: path, query: query, body: body, peer: .unix(userID: geteuid(), processID: 0))
        for owner in owners { owner.call(request, id) }
    }

    /// False if this is not an answer to a query to several owners.
    private func note(_ answer: HTTPResponse?, to id: HTTPRequestID) -> Bool {
        guard RemotePeer.link(of: id.rawValue) == Self.ownLink else { return false }
        // Without an open query the answer came too late.
        if var question = asked[id] {
            question.missing -= 1
            question.answers += answer.map { [$0] } ?? []
            asked[id] = question
            if question.missing == 0 { finish(id) }
        }
        return true
    }

    private func finish(_ id: HTTPRequestID) {
        guard let question = asked.removeValue(forKey: id) else { return }
        if let timer = question.timer { loop.cancel(timer) }
        question.done(question.answers)
    }

    /// The link number of calls that this node makes itself.
    private static let ownLink = 0

    /// Each node counts the connections of its own workspaces, whichever node has their sockets.
    private var ownSightings: TokenSightings { access.sightings { [parts] in parts.cores[$0.workspace] != nil } }

    private func gatherTokens(_ id: HTTPRequestID) {
        askOwners("GET", AdminPath.tokens) { [self] answers in
            // Counts that an owner does not send in time are missing from the list; the tokens themselves are in the store.
            let seen = answers.compactMap(Self.sightings).reduce(into: ownSightings) { $0.add($1) }
            own.listSightings(seen, id)
        }
    }

    private static func isOfNoWorkspace(_ request: HTTPRequest) -> Bool {
        switch (request.method, request.path) {
        case (_, "/readyz"), (_, "/metrics"), ("POST", ProtocolVersion.pairPath), (_, ProtocolVersion.registerPath): true
        default: false
        }
    }

    /// Decides by a code, which contains its workspace's number; see decision record 0086. A wrong one is not forwarded.
    private func decide(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let code = String(request.path.dropFirst(Routes.decisionsPath.count))
        do {
            switch try parts.judge(code, by: codes) {
            case .right(let workspace): carry(request, id, to: workspace, for: .stranger(Routes.household(of: request.peer)))
            case .wrong: own.answer(request, id)
            case .undecided:
                // The code may be right, and a phone that gets the answer "no such code" never presents it again.
                guard RemotePeer.link(of: id.rawValue) == nil else { return refuseCarried(id) }
                fail(id, "this relay cannot say now whose code that is; try again")
            }
        } catch { own.fail(id, error) }
    }

    // MARK: - To where a workspace is

    private func carry(
        _ request: HTTPRequest, _ id: HTTPRequestID, to workspace: WorkspaceID, for asker: CallMachine.Asker
    ) {
        guard RemotePeer.link(of: id.rawValue) == nil else { return takeOver(request, id, of: workspace) }
        kept[id] = Kept(request: request, workspace: workspace)
        let call = CallMachine.Call(workspace: workspace.rawValue, asker: asker, bytes: request.keptBytes)
        handle(.called(CallMachine.CallID(id), call, parts.named(wayTo: workspace)))
    }

    /// Answers a request that another node has forwarded. It is neither forwarded again nor kept here: one of the two nodes had an
    /// older view of the owners, and the other node keeps the request and will notice.
    private func takeOver(_ request: HTTPRequest, _ id: HTTPRequestID, of workspace: WorkspaceID) {
        if case .core(let core) = parts.way(to: workspace) { return core.routes.answer(request, id) }
        refuseCarried(id)
    }

    /// Refuses a forwarded request of which nothing was begun.
    private func refuseCarried(_ id: HTTPRequestID) {
        var response = Routes.unavailable("the relay that was asked does not own this workspace; try again")
        response.headers.append((NodeLinkProtocol.notOwner.name, NodeLinkProtocol.notOwner.value))
        responder.respond(id, response)
    }

    private func handle(_ fact: CallMachine.Fact) {
        let waited = machine.waitingCount
        for order in machine.handle(fact, at: Self.now) { carryOut(order) }
        if machine.waitingCount != waited { measures.looked(waitingRequests: machine.waitingCount) }
        setAlarm()
    }

    private func carryOut(_ order: CallMachine.Order) {
        switch order {
        case .carry(let call, let keeps):
            let id = HTTPRequestID(call)
            guard let found = keeps ? kept[id] : kept.removeValue(forKey: id) else {
                preconditionFailure("a request is kept until it is carried or refused")
            }
            switch parts.way(to: found.workspace) {
            case .core(let core): core.routes.answer(found.request, id)
            case .link(let edge):
                if Routes.changesEntrants(found.request) { changing.insert(id) }
                edge.call(found.request, id)
            case nil: handle(.failed(call, .noOwner, nil))
            }
        case .refuse(let call, let refusal):
            let id = HTTPRequestID(call)
            kept[id] = nil
            fail(id, Self.sentence(refusal))
        }
    }

    private static func sentence(_ refusal: CallMachine.Refusal) -> String {
        switch refusal {
        case .noOwner: "no relay that owns this workspace was reached within \(CallMachine.patience / 1_000) s; try again"
        case .tooMany: "no relay that owns this workspace is reached, and too many requests wait for one; try again"
        case .crowded: "too many ask at once; try again"
        case .unanswered: "there was no answer in time; it may have been done all the same"
        case .leaving: "this relay is about to end; try again"
        }
    }

    /// At the end of the turn, so that a core that was just created is complete.
    func turnEnded() {
        guard haveWaysChanged else { return }
        haveWaysChanged = false
        look()
    }

    private func look() {
        let workspaces = machine.workspaces
        guard !workspaces.isEmpty else { return }
        var ways: [String: CallMachine.Way] = [:]
        for name in workspaces { ways[name] = WorkspaceID(name).flatMap(parts.named(wayTo:)) }
        handle(.looked(ways))
    }

    private func setAlarm() {
        // A timer for a request that has ended has no effect.
        guard let due = machine.due, due < alarm?.due ?? .max else { return }
        if let alarm { loop.cancel(alarm.timer) }
        let timer = loop.schedule(after: .milliseconds(due - Self.now)) { [weak self] in
            self?.alarm = nil
            self?.look()
        }
        alarm = (due, timer)
    }

    /// The time now, in milliseconds.
    private static var now: Int64 { MonotonicTime.now.nanoseconds / 1_000_000 }

    /// The client has disconnected before it was answered.
    func aborted(_ id: HTTPRequestID) {
        doubted.drop(id)
        forget(id)
    }

    private func forget(_ id: HTTPRequestID) {
        if kept.removeValue(forKey: id) != nil { handle(.ended(CallMachine.CallID(id))) }
    }

    /// This node is about to end: waiting requests are refused, as another node can answer them sooner.
    func drain() { handle(.drainOrdered) }

    // MARK: - What other nodes answer

    func answered(_ id: HTTPRequestID, _ response: HTTPResponse) {
        if note(response, to: id) { return }
        forget(id)
        guard changing.remove(id) != nil, response.status < 300 else { return responder.pass(id, response) }
        reads.askInTime { [responder] _ in responder.pass(id, response) }
    }

    private static func sightings(in response: HTTPResponse) -> TokenSightings? {
        guard response.status == 200, case .bytes(let bytes) = response.body else { return nil }
        return try? TokenSightings(parsing: bytes)
    }

    func failed(_ id: HTTPRequestID, _ failure: EdgeMachine.CallFailure) {
        if note(nil, to: id) { return }
        changing.remove(id)
        handle(.failed(CallMachine.CallID(id), failure, kept[id].flatMap { parts.named(wayTo: $0.workspace) }))
    }

    private func fail(_ id: HTTPRequestID, _ sentence: String) { responder.respond(id, Routes.unavailable(sentence)) }
}

extension CallMachine.CallID {
    fileprivate init(_ id: HTTPRequestID) { self.init(rawValue: id.rawValue) }
}

extension HTTPRequestID {
    fileprivate init(_ call: CallMachine.CallID) { self.init(rawValue: call.rawValue) }
}
