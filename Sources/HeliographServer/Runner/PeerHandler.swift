import Dispatch
import Logging
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Accepts the relay's peers on one loop: decides who is upgraded, decodes messages, and passes on the input. Confined to that
/// loop's thread.
final class PeerHandler: ServerHandler {
    private let loop: EventLoop
    private let admission: AdmissionControl
    private let forwarding: Forwarding
    private let part: Part
    private let measures: Measures
    private let logger: Logger
    /// Receives arrivals; `bytes`: memory of the arrival.
    private let deliver: (Arrival, _ bytes: Int) -> Void
    /// Upgrades that were accepted and are not open yet.
    private var expected: [ConnectionID: AuthenticatedPeer] = [:]
    /// The token of each connection; its role determines how messages are decoded.
    private var tokens: [ConnectionID: Opened] = [:]
    /// Sender of the last message: messages of one connection come in sequences, and it is looked up once for each.
    private var latest: (connection: ConnectionID, speaker: Speaker)?
    /// Messages of this turn, which are counted together.
    private var received = (messages: 0, bytes: 0)
    private var strangers = StrangerLog()
    /// True after an invalid header of a proxy was logged, as it would come with every request.
    private var hasToldOfForwarding = false

    /// This process's role for its peers.
    enum Part: Sendable {
        /// The process has the core of all workspaces: messages are decoded.
        case alone
        /// The process owns some workspaces, and forwards messages for the others.
        case node(WorkspaceWays, UnknownTokens, LinkAcceptor.Shared)

        var takesLinks: Bool {
            switch self {
            case .alone: false
            case .node: true
            }
        }
    }

    private struct Opened {
        let id: String
        let speaker: Speaker
    }

    /// The part of a peer's state that decoding needs. Separate and without references, because it is copied with each message.
    private struct Speaker {
        let role: PairingRole
        /// True if another node decodes its messages.
        let isCarried: Bool
    }

    /// Nil if there are no links.
    private let links: LinkAcceptor?

    init(
        loop: EventLoop, part: Part, admission: AdmissionControl, forwarding: Forwarding, measures: Measures, logger: Logger,
        deliver: @escaping (Arrival, _ bytes: Int) -> Void
    ) {
        if case .node(_, _, let links) = part {
            self.links = LinkAcceptor(links, loop, admission, logger, deliver: deliver)
        } else {
            links = nil
        }
        self.part = part
        self.loop = loop
        self.admission = admission
        self.forwarding = forwarding
        self.measures = measures
        self.logger = logger
        self.deliver = deliver
    }

    /// Called at the end of a turn, before its output is written.
    func turnEnds() {
        guard received.messages > 0 else { return }
        measures.received(messages: received.messages, bytes: received.bytes)
        received = (0, 0)
    }

    // MARK: - Where from

    func isProxy(_ peer: Peer) -> Bool {
        switch peer {
        case .unix: true
        case .ip(let text): IPAddress(text).map(forwarding.proxies.contain) ?? false
        }
    }

    func countedPeer(for peer: Peer) -> Peer? {
        guard case .ip(let text) = peer, let address = IPAddress(text), !forwarding.proxies.contain(address) else { return nil }
        return .ip(address.household.description)
    }

    /// True for requests that no client sent: a proxy's health checks, and those of another node, which have a secret of their own.
    private static func isOfNobody(_ request: HTTPRequest) -> Bool {
        ["/", "/healthz", "/readyz", "/metrics", NodeLinkProtocol.path].contains(request.path)
    }

    func mayAskAgain(after request: HTTPRequest) -> Bool { request.isNamedByProxy || !forwarding.isByProxy(request) }

    func headReceived(_ request: inout HTTPRequest) -> HTTPResponse? {
        guard case .ip(let text) = request.peer, let peer = IPAddress(text) else { return nil }
        let says = request.header(forwarding.header.rawValue)
        if says == nil, !request.isNamedByProxy, !Self.isOfNobody(request), forwarding.isByProxy(request) {
            return .text(400, "this came through a proxy, and \(forwarding.header.rawValue) does not say where from\n")
        }
        switch forwarding.whom(peer, says: says) {
        case .peer: break
        case .visitor(let address):
            request.peer = .ip(address.description)
            request.isNamedByProxy = true
        case .malformed(let sentence):
            if !hasToldOfForwarding {
                logger.warning(
                    "a trusted proxy does not say who sent its requests; they count as its own",
                    metadata: ["peer": "\(peer)", "reason": "\(sentence)"])
            }
            hasToldOfForwarding = true
        }
        guard let counted = countedPeer(for: request.peer) else { return nil }
        let wait = admission.asked(counted, at: Int64(DispatchTime.now().uptimeNanoseconds))
        guard wait > 0 else { return nil }
        let limit = ConnectionLimiter.LimitError.requestsPerSecondPerAddress
        measures.turnedAway(limit)
        var response = HTTPResponse.text(limit.status, limit.sentence + "\n")
        response.headers.append(HTTPResponse.retryAfter(seconds: Int(wait / 1_000_000_000) + 1))
        return response
    }

    /// Larger for pictures, but only for a peer with a token.
    func bodyBytesMax(of request: HTTPRequest) -> Int? {
        guard request.method == "POST", request.path == Routes.picturesPath,
            (try? admission.authenticator?.authenticate(request, to: [], isUpgrade: false)) != nil
        else { return nil }
        return WireLimits.pictureBytesMax
    }

    // MARK: - Coming in

    func turnedAway(_ reason: TurnAwayReason) { measures.turnedAway(reason) }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        let role: PairingRole
        switch request.path {
        case ProtocolVersion.hostPath: role = .host
        case ProtocolVersion.clientPath: role = .client
        case NodeLinkProtocol.path:
            guard let links else { fallthrough }
            return links.upgradeRequested(request)
        default: return .refuse(status: 404, body: "there is no WebSocket here\n")
        }
        guard request.offeredSubprotocols.contains(ProtocolVersion.subprotocol) else {
            return .refuse(status: 400, body: "offer the subprotocol \(ProtocolVersion.subprotocol)\n")
        }
        guard let authenticator = admission.authenticator else {
            return .refuse(
                status: 503, headers: [HTTPResponse.retryAfter()], body: "the relay takes no connections now; try again\n")
        }
        let token: Token
        do {
            token = try authenticator.authenticate(request, to: role == .host ? .report : .watch, isUpgrade: true)
        } catch {
            if error == .unknown, let digest = Authenticator.digest(in: request), mayBeNew(digest) {
                return .refuse(
                    status: 503, headers: [HTTPResponse.retryAfter(seconds: 1)],
                    body: "this token is not known here yet; try again\n"
                )
            }
            measures.refused()
            strangers.notice(
                "refused an upgrade", ["path": "\(request.path)", "reason": "\(error)", "peer": "\(request.peer)"], logger)
            switch error {
            case .unknown: return .refuse(status: 401, body: "a valid token is needed: pair this device\n")
            case .foreignOrigin: return .refuse(status: 403, body: "this origin is not the relay's own\n")
            case .wrongRole: return .refuse(status: 403, body: "this token is not for a \(role.rawValue)\n")
            }
        }
        guard way(to: token.workspace) != nil else {
            return .refuse(
                status: 503, headers: [HTTPResponse.retryAfter(seconds: 1)],
                body: "the relay that owns this workspace is not reached; try again\n")
        }
        let authenticated = authenticator.peer(request, by: token, countedAt: countedPeer(for: request.peer))
        do throws(ConnectionLimiter.LimitError) {
            try admission.enter(authenticated)
            expected[connection] = authenticated
            return .accept(subprotocol: ProtocolVersion.subprotocol)
        } catch {
            measures.turnedAway(error)
            if error == .connectionsPerWorkspace { deliver(.turnedAway(from: token.workspace), 0) }
            strangers.notice(
                "turned an upgrade away",
                ["limit": "limits.\(error.rawValue)", "token.id": "\(token.id)", "peer": "\(request.peer)"], logger)
            return .refuse(status: error.status, headers: [HTTPResponse.retryAfter()], body: "\(error.sentence)\n")
        }
    }

    /// True if the token may be valid although it is unknown here: another node may have made it a moment ago. Reading the tokens
    /// again shows that.
    private func mayBeNew(_ digest: [UInt8]) -> Bool {
        guard case .node(_, let unknown, _) = part else { return false }
        switch unknown.note(digest) {
        case .refuted: return false
        case .doubted: deliver(.tokenUnknown(digest), 0)
        // A read is due for the noted tokens.
        case .unnoted: break
        }
        return true
    }

    private func way(to workspace: WorkspaceID) -> WorkspaceWays.Way? {
        if case .node(let ways, _, _) = part { ways[workspace] } else { .here }
    }

    func upgradeAbandoned(_ connection: ConnectionID) {
        if let authenticated = expected.removeValue(forKey: connection) { admission.leave(authenticated) }
    }

    func opened(_ connection: ConnectionID) {
        guard let authenticated = expected.removeValue(forKey: connection) else {
            if let links { return links.opened(connection) }
            preconditionFailure("a connection opens after its upgrade was accepted")
        }
        // If the workspace has moved since the request, the receiver of arrivals disconnects the peer.
        let isCarried = way(to: authenticated.token.workspace) == .there
        tokens[connection] = Opened(
            id: authenticated.token.id, speaker: Speaker(role: authenticated.token.role, isCarried: isCarried))
        if authenticated.token.role == .host { loop.expedite(connection) }
        deliver(.opened(connection, authenticated), 0)
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        if let links, links.isLink(connection) { return links.closed(connection, reason) }
        tokens[connection] = nil
        if latest?.connection == connection { latest = nil }
        deliver(.closed(connection, reason), 0)
    }

    func holder(of connection: ConnectionID) -> String? { tokens[connection]?.id }

    func congested(_ connection: ConnectionID) {
        if let links, links.isLink(connection) { links.congested(connection) } else { deliver(.congested(connection), 0) }
    }

    func drained(_ connection: ConnectionID) {
        if let links, links.isLink(connection) { links.drained(connection) } else { deliver(.drained(connection), 0) }
    }

    // MARK: - Messages

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard let speaker = speaker(connection) else {
            links?.received(message, on: connection) { [self] role, peer, bytes in
                count(bytes)
                return input(of: peer, role, bytes, isUTF8: false)
            }
            return
        }
        guard message.kind == .text else {
            loop.close(connection, code: CloseCode.unsupportedData.rawValue, reason: CloseCode.unsupportedData.reason)
            return
        }
        count(message.bytes)
        let bytes = message.bytes.count
        guard !speaker.isCarried else { return deliver(.unread(message.bytes, on: connection), bytes) }
        // Without a variable in between, which would cause a copy.
        deliver(
            .said(input(of: PeerID(connection), speaker.role, message.bytes, isUTF8: true), on: connection, bytes: bytes), bytes
        )
    }

    /// Nil if it is not a peer's connection.
    private func speaker(_ connection: ConnectionID) -> Speaker? {
        if let latest, latest.connection == connection { return latest.speaker }
        guard let speaker = tokens[connection]?.speaker else { return nil }
        latest = (connection, speaker)
        return speaker
    }

    private func count(_ bytes: [UInt8]) {
        received.messages += 1
        received.bytes += bytes.count
    }

    /// `isUTF8`: true if the engine has checked the bytes.
    private func input(of peer: PeerID, _ role: PairingRole, _ bytes: [UInt8], isUTF8: Bool) -> Input {
        switch role {
        case .host:
            do throws(WireError) { return .hostSent(peer, try HostMessage(parsing: bytes, isUTF8: isUTF8)) } catch {
                refused(error, peer)
                return .hostSentBadMessage(peer, error)
            }
        case .client, .watcher, .operator:
            do throws(ClientMessageError) { return .clientSent(peer, try ClientMessage(parsing: bytes)) } catch {
                refused(error.error, peer)
                return .clientSentBadMessage(peer, error)
            }
        }
    }

    private func refused(_ error: WireError, _ peer: PeerID) {
        measures.refusedMessage()
        logger.debug(
            "refused a message",
            metadata: [
                "connection.id": "\(ConnectionID(rawValue: peer.rawValue))", "code": "\(error.code)", "path": "\(error.path)",
            ])
    }

    // MARK: - HTTP

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { deliver(.request(request, id), request.body.count) }

    /// Only needed if requests may wait for an owner.
    func requestAborted(_ id: HTTPRequestID) { if part.takesLinks { deliver(.requestAborted(id), 0) } }
}

extension PeerHandler {
    /// On the core's own loop: arrivals are handled at once.
    static func atCore(
        _ loop: EventLoop, _ part: Part, _ admission: AdmissionControl, _ forwarding: Forwarding, _ measures: Measures,
        _ logger: Logger, take: @escaping (Arrival) -> Void
    ) -> PeerHandler {
        let handler = PeerHandler(
            loop: loop, part: part, admission: admission, forwarding: forwarding, measures: measures, logger: logger
        ) { arrival, _ in take(arrival) }
        loop.inputsEnded = { handler.turnEnds() }
        return handler
    }

    /// On another loop: the arrivals of one turn are passed to the core together.
    static func onOther(
        _ loop: EventLoop, _ part: Part, _ admission: AdmissionControl, _ forwarding: Forwarding, _ inbox: LoopInbox<Arrival>,
        _ measures: Measures,
        _ logger: Logger
    ) -> PeerHandler {
        let turn = Turn()
        let handler = PeerHandler(
            loop: loop, part: part, admission: admission, forwarding: forwarding, measures: measures, logger: logger
        ) { arrival, bytes in
            turn.arrivals.append(arrival)
            turn.bytes += bytes
        }
        loop.inputsEnded = { [unowned loop] in
            handler.turnEnds()
            inbox.post(&turn.arrivals, bytes: turn.bytes, from: loop)
            turn.bytes = 0
        }
        return handler
    }

    private final class Turn {
        var arrivals: [Arrival] = []
        var bytes = 0
    }
}
