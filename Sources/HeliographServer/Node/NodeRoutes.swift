import Glibc
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Plain HTTP at a node: what is the same at every node is answered here, what is of a workspace by its owner, here or elsewhere. Lives on the
/// main loop's thread.
final class NodeRoutes {
    private let access: Access
    private let responder: Responder
    private let reads: EntrantReads
    private let unknownTokens: UnknownTokens
    /// For what is of no workspace.
    private let own: Routes
    private let parts: NodeParts
    /// Requests of peers that may let somebody in, or end that: whoever is answered finds it done at this node, too.
    private var changing: Set<HTTPRequestID> = []
    /// What several owners are asked: how many have not answered, and what the others have said.
    private var asked: [HTTPRequestID: Question] = [:]
    private var lastAsked: UInt64 = 0

    private struct Question {
        var missing: Int
        var answers: [HTTPResponse] = []
        let done: ([HTTPResponse]) -> Void
    }

    init(
        access: Access, responder: Responder, reads: EntrantReads, unknownTokens: UnknownTokens, own: Routes, parts: NodeParts
    ) {
        self.access = access
        self.responder = responder
        self.reads = reads
        self.unknownTokens = unknownTokens
        self.own = own
        self.parts = parts
    }

    func answer(_ request: HTTPRequest, _ id: HTTPRequestID) { answer(request, id, isAskedAgain: false) }

    private func answer(_ request: HTTPRequest, _ id: HTTPRequestID, isAskedAgain: Bool) {
        if case .unix = request.peer { return answerAdministrator(request, id) }
        if Self.isOfNoWorkspace(request) { return own.answer(request, id) }
        if responder.answersAlike(request, id) { return }
        if request.method == "POST", request.path.hasPrefix(Routes.decisionsPath) { return decide(request, id) }
        do throws(Authenticator.AuthenticationError) {
            let token = try access.authenticator.authenticate(request, to: [], isUpgrade: false)
            // Who somebody is, every node knows.
            if request.path == ProtocolVersion.mePath {
                own.answer(request, id)
            } else {
                carry(request, id, to: token.workspace)
            }
        } catch {
            // Another node may have let it in a moment ago; once the tokens have been read since, that is known.
            guard error == .unknown, let digest = Authenticator.digest(in: request), unknownTokens.mayBeNew(digest) else {
                return own.answer(request, id)
            }
            // They could not be read. Whoever hears that it is not paired throws its token away.
            guard !isAskedAgain else { return fail(id, "the relay cannot read who may come in; try again") }
            reads.askInTime { [weak self] in self?.answer(request, id, isAskedAgain: true) }
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

    /// For another node, which asks all.
    private func answerPart(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard (request.method, request.path) == ("GET", AdminPath.tokens), NodePeer(request.peer) == .administrator else {
            return own.answer(request, id)
        }
        own.listTokens(ownSightings, id)
    }

    /// Tokens or workspaces were changed by way of this node: `done` is called when the owners that it reaches have read them again, so that
    /// whoever was let in is let in there, too. All other nodes find out by themselves.
    func tellOwners(then done: @escaping () -> Void) {
        askOwners("POST", AdminPath.reload) { _ in done() }
    }

    /// All those that this node reaches. `done` gets the answers that there are: one whose link ends says nothing.
    private func askOwners(_ method: String, _ path: String, then done: @escaping ([HTTPResponse]) -> Void) {
        let owners = parts.edges.values.filter(\.isServing)
        guard !owners.isEmpty else { return done([]) }
        lastAsked += 1
        let id = HTTPRequestID(rawValue: RemotePeer.call(link: 0, number: lastAsked))
        asked[id] = Question(missing: owners.count, done: done)
        let request = HTTPRequest(method: method, path: path, body: [], peer: .unix(userID: geteuid(), processID: 0))
        for owner in owners { owner.call(request, id) }
    }

    /// False: it is no answer to what several were asked.
    private func note(_ answer: HTTPResponse?, to id: HTTPRequestID) -> Bool {
        guard var question = asked[id] else { return false }
        question.missing -= 1
        question.answers += answer.map { [$0] } ?? []
        asked[id] = question.missing > 0 ? question : nil
        if question.missing == 0 { question.done(question.answers) }
        return true
    }

    /// Each node counts those of its workspaces, whichever node has their sockets.
    private var ownSightings: TokenSightings { access.sightings { [parts] in parts.cores[$0.workspace] != nil } }

    private func gatherTokens(_ id: HTTPRequestID) {
        askOwners("GET", AdminPath.tokens) { [self] answers in
            // What one of them does not say in time is missing from the list; the tokens themselves are in the store.
            let seen = answers.compactMap(Self.sightings).reduce(into: ownSightings) { $0.add($1) }
            own.listTokens(seen, id)
        }
    }

    private static func isOfNoWorkspace(_ request: HTTPRequest) -> Bool {
        switch (request.method, request.path) {
        case (_, "/readyz"), (_, "/metrics"), ("POST", ProtocolVersion.pairPath): true
        default: false
        }
    }

    /// A code names its workspace by the number of its push; see decision record 0097.
    private func decide(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let code = String(request.path.dropFirst(Routes.decisionsPath.count))
        guard let number = PushCodes.workspace(ofCode: code), let workspace = parts.workspace(numbered: number) else {
            return own.answer(request, id)
        }
        carry(request, id, to: workspace)
    }

    private func carry(_ request: HTTPRequest, _ id: HTTPRequestID, to workspace: WorkspaceID) {
        switch parts.way(to: workspace) {
        case .core(let core): core.routes.answer(request, id)
        // What another node has handed on goes no further: that node looked at an older state of who owns what.
        case .link(let edge) where RemotePeer.link(of: id.rawValue) == nil:
            if Routes.changesEntrants(request) { changing.insert(id) }
            edge.call(request, id)
        case .link, nil: fail(id, "no relay that owns this workspace is reached; try again")
        }
    }

    // MARK: - What other nodes answer

    func answered(_ id: HTTPRequestID, _ response: HTTPResponse) {
        if note(response, to: id) { return }
        guard changing.remove(id) != nil, response.status < 300 else { return responder.pass(id, response) }
        reads.askInTime { [responder] in responder.pass(id, response) }
    }

    private static func sightings(in response: HTTPResponse) -> TokenSightings? {
        guard response.status == 200, case .bytes(let bytes) = response.body else { return nil }
        return try? TokenSightings(parsing: bytes)
    }

    func failed(_ id: HTTPRequestID, _ failure: EdgeMachine.CallFailure) {
        if note(nil, to: id) { return }
        changing.remove(id)
        switch failure {
        case .noOwner: fail(id, "no relay that owns this workspace is reached; try again")
        case .tooMany: fail(id, "too many ask at once; try again")
        case .linkEnded: fail(id, "there was no answer in time; it may have been done all the same")
        }
    }

    private func fail(_ id: HTTPRequestID, _ sentence: String) {
        responder.respond(id, .json(503, Notice(code: ErrorCode.unavailable.rawValue, message: sentence)))
    }
}
