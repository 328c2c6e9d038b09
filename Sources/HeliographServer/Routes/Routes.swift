import HeliographCrypto
import Logging
import RelayAccess
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Handles plain HTTP: the page, pairing, health and metrics here; other parts are in extensions.
final class Routes {
    /// Handlers for the workspaces of one core.
    struct Core {
        let httpPeers: HTTPCommandPeers
        let codes: PushCodes
        let pictures: PictureShelf
        let past: Shelf<any SessionLog & Sendable>
    }

    private let responder: Responder
    let access: Access
    private let wayMark: WayMark
    /// Nil for requests that need no core, and for those without a valid token.
    let core: Core?
    let pushWay: PushWay
    private let registry: PrometheusRegistry
    private let pushMeasures: PushMeasures
    private let overseer: Overseer
    let logger: Logger
    var wrongCodes = RecentCounts.wrongCodes
    var renamings = RecentCounts.renamings
    let registration: RegistrationRules
    var registrations: RegistrationCounts
    let measures: Measures
    var strangers = StrangerLog()

    init(in around: CoreUnit.Surroundings, core: Core?) {
        responder = around.responder
        access = around.access
        wayMark = around.wayMark
        self.core = core
        pushWay = around.pushWay
        registry = around.registry
        pushMeasures = around.pushMeasures
        overseer = around.overseer
        logger = around.logger
        measures = around.measures
        registration = around.configuration.registration
        registrations = RegistrationCounts(perHour: around.configuration.serverLimits.registrationsPerHourPerAddress)
    }

    func answer(_ request: HTTPRequest, _ id: HTTPRequestID) {
        if case .unix = request.peer { return answerAdministrator(request, id) }
        switch (request.method, request.path) {
        case ("GET", "/readyz"), ("HEAD", "/readyz"):
            respond(id, overseer.isReady ? .text(200, "ready\n") : .text(503, "the store takes no writes\n"))
        case ("GET", "/metrics"): metrics(request, id)
        case ("POST", ProtocolVersion.pairPath): pair(request, id)
        case ("GET", ProtocolVersion.registerPath): showRegistration(id)
        case ("POST", ProtocolVersion.registerPath): register(request, id)
        case ("GET", ProtocolVersion.mePath): me(request, id)
        case ("POST", Self.logOutPath): logOut(request, id)
        case ("GET", Self.pushKeyPath): pushKey(request, id)
        case (_, let path) where path == Self.devicesPath || path.hasPrefix(Self.devicesPath + "/"): devices(request, id)
        case (_, let path) where path == Self.tokensPath || path.hasPrefix(Self.tokensPath + "/"): tokens(request, id)
        case ("POST", let path) where path.hasPrefix(Self.decisionsPath): decide(request, id)
        case ("POST", Self.picturesPath): keepPicture(request, id)
        case ("GET", let path) where path.hasPrefix(Self.picturesPath + "/"): showPicture(request, id)
        case ("GET", Self.requestsPath): listRequests(request, id)
        case ("GET", let path) where path.hasPrefix(WayMark.path):
            respond(id, wayMark.isKnown(path, at: .now) ? .text(200, "here\n") : .text(404, "there is nothing here\n"))
        case ("GET", _), ("HEAD", _):
            if !responder.answersAlike(request, id) { respond(id, .text(404, "there is nothing here\n")) }
        default: respond(id, .text(405, "this is not done here\n"))
        }
    }

    /// Answers the relay's own user, as verified by the kernel, which may make the relay read its tokens again.
    private func answerAdministrator(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard NodePeer(request.peer) == .administrator else {
            return respond(id, .text(403, "this socket is for the relay's own user\n"))
        }
        switch (request.method, request.path) {
        case ("POST", AdminPath.reload):
            access.reload { [self] result in
                switch result {
                case .success: respond(id, .text(200, "reloaded\n"))
                case .failure(let error): fail(id, error)
                }
            }
        case ("POST", AdminPath.push):
            pushWay.status { [self] status in respond(id, .json(200, status)) }
        case ("POST", AdminPath.pushQuestion):
            pushWay.askApple { [self] answers in respond(id, .json(200, answers)) }
        case ("POST", AdminPath.clock):
            respond(id, .text(200, overseer.confirmClock() ? "confirmed\n" : "not in doubt\n"))
        case ("POST", AdminPath.way): respond(id, .text(200, wayMark.make(at: .now)))
        case ("GET", AdminPath.tokens): listSightings(access.sightings(), id)
        case ("GET", AdminPath.report): overseer.makeReport { [self] report in respond(id, .json(200, report)) }
        case ("GET", "/metrics"): respondWithMetrics(id)
        case ("POST", let path):
            guard let name = AdminPath.token(revokedBy: path) else { return respond(id, .text(404, "there is nothing here\n")) }
            revokeToken(name, request, by: nil, id)
        default: respond(id, .text(404, "there is nothing here\n"))
        }
    }

    private static let logOutPath = "/v1/logout"

    /// True if the request may have paired, revoked or renamed a host or client.
    static func changesEntrants(_ request: HTTPRequest) -> Bool {
        guard request.method == "POST" else { return false }
        return [ProtocolVersion.pairPath, ProtocolVersion.registerPath, logOutPath, AdminPath.reload].contains(request.path)
            || request.path.hasPrefix(tokensPath + "/")
    }

    // MARK: - Pairing

    private func pair(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let origin = request.header("origin")
        if let origin, !access.authenticator.isOwn(origin, request) {
            return respond(id, .json(403, Notice(code: "foreignOrigin", message: "this origin is not the relay's own")))
        }
        let call: PairCall
        do throws(WireError) { call = try PairCall(parsing: request.body) } catch {
            return respond(id, .json(400, Notice(error)))
        }
        // The code was redeemed by this request before, and the answer was lost.
        if origin == nil, let secret = call.token, let token = access.authenticator.token(forBearer: secret) {
            return paired(Credentials.NewToken(token: token, secret: secret, pageKey: nil), isSecure: false, id)
        }
        guard let digest = Secret.digest(ofPairingCode: call.code) else { return refuseCode(request, id) }
        guard let excess = wrongCodes.excess(of: Self.caller(request.peer), at: .now) else {
            return redeem(call, request, id)
        }
        access.openCodes.take(digest) { [self] isOpen in
            if isOpen { redeem(call, request, id) } else { respond(id, Self.tooMany("wrong codes", excess.wait)) }
        }
    }

    private func redeem(_ call: PairCall, _ request: HTTPRequest, _ id: HTTPRequestID) {
        let isSecure = access.authenticator.isSecure(request)
        let kind = request.header("origin") == nil ? call.tokenKind : .browser
        access.change(for: .address(Self.household(of: request.peer)), where: { $0 != nil }) {
            try Credentials.redeem(call.code, name: call.shownName, kind: kind, previous: call.previous, own: call.token, $0)
        } then: { [self] result in
            switch result {
            case .failure(let error): fail(id, error)
            case .success(nil): refuseCode(request, id)
            case .success(let new?): paired(new, isSecure: isSecure, id)
            }
        }
    }

    private func refuseCode(_ request: HTTPRequest, _ id: HTTPRequestID) {
        if let refusal = noteWrongCode(of: request) { return respond(id, refusal) }
        strangers.notice("refused a pairing code", ["peer": "\(request.peer)"], logger)
        respond(id, .json(404, Notice(code: "badCode", message: "this code is unknown, used or too old: make a new one")))
    }

    private func paired(_ new: Credentials.NewToken, isSecure: Bool, _ id: HTTPRequestID) {
        var metadata: Logger.Metadata = [
            "token.id": "\(new.token.id)", "role": "\(new.token.role)", "subject": "\(new.token.subject)",
        ]
        if let parent = new.token.parent { metadata["by"] = "\(parent)" }
        logger.notice("paired", metadata: metadata)
        // A browser keeps its token in a cookie that no script can read, and the page keeps a key in addition.
        let answer = PairAnswer(
            secret: new.pageKey.map(PairAnswer.Secret.key) ?? .token(new.secret), role: new.token.role, name: new.token.name)
        var headers = [("content-type", "application/json")]
        if new.pageKey != nil { headers += BrowserCookie.given(new.secret, isSecure: isSecure) }
        respond(id, HTTPResponse(status: 200, headers: headers, body: .bytes(answer.bytes)))
    }

    private func me(_ request: HTTPRequest, _ id: HTTPRequestID) {
        do throws(Authenticator.AuthenticationError) {
            let token = try access.authenticate(request, to: [])
            let identity = Identity(
                holder: access.holder(of: token), workspace: access.workspace(token.workspace),
                software: ServerConfiguration.software, at: WallClock.milliseconds)
            respond(id, .json(200, identity.bytes))
        } catch  where access.isOfRemovedWorkspace(request) {
            let message = "this workspace was removed from the relay: its operator did, or nobody had used it for too long"
            respond(id, .json(401, Notice(code: Notice.workspaceRemoved, message: message)))
        } catch { respond(id, .json(401, Notice(code: "unauthorized", message: "this device is not paired"))) }
    }

    private func logOut(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let token: Token
        do throws(Authenticator.AuthenticationError) { token = try access.authenticate(request, to: .watch) } catch {
            return respond(id, .json(401, Notice(code: "unauthorized", message: "this device is not paired")))
        }
        let isSecure = access.authenticator.isSecure(request)
        // Children are kept: a person who logs a laptop out has not lost the phone that was paired through it.
        let revocation = TokenRevocation(id: token.id, keepsChildren: true, by: token.id, at: WallClock.milliseconds)
        access.revoke(revocation) { [self] result in
            switch result {
            case .success(let revoked) where revoked.reason != nil: respond(id, Self.unwritten(revoked))
            case .success: respond(id, HTTPResponse(status: 204, headers: BrowserCookie.taken(isSecure: isSecure)))
            case .failure(let error): fail(id, error)
            }
        }
    }

    // MARK: - Metrics

    private func metrics(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard access.mayReadMetrics(request) else { return respond(id, .text(401, "a token is needed\n")) }
        respondWithMetrics(id)
    }

    private func respondWithMetrics(_ id: HTTPRequestID) {
        pushWay.traffic { [self] traffic in
            pushMeasures.looked(at: traffic)
            overseer.look()
            respond(id, .metrics(registry.exposition))
        }
    }

    // MARK: - Answers

    static func unavailable(_ message: String) -> HTTPResponse {
        .json(503, Notice(code: ErrorCode.unavailable.rawValue, message: message))
    }

    static var storeDoesNotAnswer: HTTPResponse { unavailable("the relay's store does not answer; try again") }

    /// The value of the first parameter with this name, without decoding; nil if there is none.
    static func parameter(_ name: String, in query: String?) -> String? {
        let start = name + "="
        return query?.split(separator: "&").first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    /// The core for an authorised request; nil if there is none, and then the request is answered.
    func coreAnswering(_ id: HTTPRequestID) -> Core? {
        if core == nil {
            respond(id, Self.unavailable("no relay that owns this workspace is reached; try again"))
        }
        return core
    }

    func fail(_ id: HTTPRequestID, _ error: any Error) {
        let refusal: StoreQueue.QueueError =
            switch error {
            case let refusal as StoreQueue.QueueError: refusal
            case let error as LogError where error.code == .inDoubt: .unknown
            default: .late
            }
        // Limited in rate, as strangers can cause this line, too.
        if refusal == .tooMany {
            strangers.notice("refused a request: too many wait for the store", [:], logger)
        } else {
            logger.error("a request failed", metadata: ["error": "\(error)"])
        }
        respond(id, .json(503, Notice(code: ErrorCode.unavailable.rawValue, message: refusal.notice)))
    }

    func respond(_ id: HTTPRequestID, _ response: HTTPResponse) { responder.respond(id, response) }
}
