import Dispatch
import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// The relay's doors: decides who is upgraded, decodes what they send, and tells the core who came and went.
final class Visitors: ServerHandler {
    private let runner: RelayRunner
    private let loop: EventLoop
    private let routes: Routes
    private let access: Access
    private let limits: ServerLimits
    private let forwarding: Forwarding
    private var admission: Admission
    private let paces: PaceBook
    private let brakes: Brakes
    private let memory: MemoryWatch
    private let measures: Measures
    private let logger: Logger
    /// Upgrades that were accepted and are not open yet.
    private var expected: [ConnectionID: Gate.Visitor] = [:]
    /// A proxy that writes nonsense writes it with every request.
    private var hasToldOfForwarding = false

    init(
        _ configuration: ServerConfiguration, runner: RelayRunner, loop: EventLoop, routes: Routes, access: Access,
        memory: MemoryWatch, measures: Measures, logger: Logger
    ) {
        self.runner = runner
        self.loop = loop
        self.routes = routes
        self.access = access
        self.memory = memory
        self.measures = measures
        self.logger = logger
        limits = configuration.serverLimits
        forwarding = configuration.forwarding
        admission = Admission(limits)
        paces = PaceBook(limits)
        brakes = Brakes(loop: loop)
        runner.commitSettled = { [unowned self] in
            if runner.uncommittedBytes <= uncommittedBytesMax / 2 { brakes.releaseHeld() }
        }
    }

    private var uncommittedBytesMax: Int { limits.uncommittedMegabytes << 20 }

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

    func headReceived(_ request: inout HTTPRequest) -> HTTPResponse? {
        guard case .ip(let text) = request.peer, let peer = IPAddress(text) else { return nil }
        switch forwarding.whom(peer, says: request.header(forwarding.header.rawValue)) {
        case .peer: break
        case .visitor(let address):
            request.peer = .ip(address.description)
            request.isNamedByProxy = true
        case .malformed(let sentence):
            if !hasToldOfForwarding {
                logger.warning(
                    "a trusted proxy does not say whom requests are from; they count as its own",
                    metadata: ["peer": "\(peer)", "reason": "\(sentence)"])
            }
            hasToldOfForwarding = true
        }
        guard let counted = countedPeer(for: request.peer) else { return nil }
        let wait = admission.asked(counted, at: Self.now)
        guard wait > 0 else { return nil }
        let limit = Admission.Limit.requestsPerSecondPerAddress
        measures.turnedAway(limit)
        var response = HTTPResponse.text(limit.status, limit.sentence + "\n")
        response.headers.append(Routes.retryAfter(seconds: Int(wait / 1_000_000_000) + 1))
        return response
    }

    /// Nanoseconds of a clock that never jumps.
    private static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    // MARK: - Coming in

    func turnedAway(_ reason: TurnAwayReason) { measures.turnedAway(reason) }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        let role: PairingRole
        switch request.path {
        case ProtocolVersion.hostPath: role = .host
        case ProtocolVersion.clientPath: role = .client
        default: return .refuse(status: 404, body: "there is no WebSocket here\n")
        }
        guard request.offeredSubprotocols.contains(ProtocolVersion.subprotocol) else {
            return .refuse(status: 400, body: "offer the subprotocol \(ProtocolVersion.subprotocol)\n")
        }
        if runner.isSuspended {
            return .refuse(
                status: 503, headers: [Routes.retryAfter()], body: "the relay's store cannot be read; try again\n")
        }
        let token: Token
        do {
            token = try access.gate.authenticate(request, as: role, isUpgrade: true)
        } catch {
            measures.refused()
            logger.notice(
                "refused an upgrade", metadata: ["path": "\(request.path)", "reason": "\(error)", "peer": "\(request.peer)"])
            switch error {
            case .unknown: return .refuse(status: 401, body: "a valid token is needed: pair this device\n")
            case .foreignOrigin: return .refuse(status: 403, body: "this origin is not the relay's own\n")
            case .wrongRole: return .refuse(status: 403, body: "this token is not for a \(role.rawValue)\n")
            }
        }
        do throws(Admission.Limit) {
            if memory.refusesNew { throw .memory }
            let address = countedPeer(for: request.peer)
            try admission.enter(address: address, token: token.id, workspace: token.workspace)
            expected[connection] = Gate.Visitor(
                token: token, baseURL: access.gate.linkBase(for: request), peer: request.peer, address: address,
                paces: paces.paces(of: token))
            return .accept(subprotocol: ProtocolVersion.subprotocol)
        } catch {
            measures.turnedAway(error)
            logger.notice(
                "turned an upgrade away",
                metadata: ["limit": "limits.\(error.rawValue)", "token.id": "\(token.id)", "peer": "\(request.peer)"])
            return .refuse(status: error.status, headers: [Routes.retryAfter()], body: "\(error.sentence)\n")
        }
    }

    func upgradeAbandoned(_ connection: ConnectionID) {
        if let visitor = expected.removeValue(forKey: connection) { leave(visitor) }
    }

    private func leave(_ visitor: Gate.Visitor) {
        admission.leave(address: visitor.address, token: visitor.token.id, workspace: visitor.token.workspace)
    }

    func opened(_ connection: ConnectionID) {
        guard let visitor = expected.removeValue(forKey: connection) else {
            preconditionFailure("a connection opens after its upgrade was accepted")
        }
        // The token may have been revoked between the upgrade and now.
        guard access.admit(connection, visitor) else { return leave(visitor) }
        let peer = PeerID(rawValue: connection.rawValue)
        let token = visitor.token
        switch token.role {
        case .host:
            guard let id = HostID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
            runner.feed(
                .hostConnected(
                    peer, HostIdentity(workspace: token.workspace, host: Named(id: id, name: token.name))))
        case .client: runner.feed(.clientConnected(peer, access.client(token)))
        }
        measures.connected(token.role)
        logger.info(
            "connected",
            metadata: [
                "connection.id": "\(connection)", "role": "\(token.role)", "subject": "\(token.subject)",
                "peer": "\(visitor.peer)",
            ])
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard let visitor = access.gate.disconnected(connection) else { return }
        leave(visitor)
        brakes.forget(connection)
        runner.feed(.disconnected(PeerID(rawValue: connection.rawValue)))
        measures.disconnected(visitor.token.role)
        logger.info("disconnected", metadata: ["connection.id": "\(connection)", "reason": "\(reason)"])
    }

    func congested(_ connection: ConnectionID) {
        measures.congested()
        runner.feed(.congested(PeerID(rawValue: connection.rawValue)))
    }

    func drained(_ connection: ConnectionID) { runner.feed(.drained(PeerID(rawValue: connection.rawValue))) }

    // MARK: - Messages

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard let visitor = access.gate.connections[connection] else { return }
        guard message.kind == .text else {
            loop.close(connection, code: CloseCode.unsupportedData.rawValue, reason: CloseCode.unsupportedData.reason)
            return
        }
        measures.received(bytes: message.bytes.count)
        let peer = PeerID(rawValue: connection.rawValue)
        switch visitor.token.role {
        case .host:
            do throws(WireError) {
                runner.feed(.hostSent(peer, try HostMessage(parsing: message.bytes)))
            } catch {
                refused(error, connection)
                runner.feed(.hostSentBadMessage(peer, error))
            }
        case .client:
            do throws(ClientMessageError) {
                runner.feed(.clientSent(peer, try ClientMessage(parsing: message.bytes)))
            } catch {
                refused(error.error, connection)
                runner.feed(.clientSentBadMessage(peer, error))
            }
        }
        let now = Self.now
        if let slowing = visitor.paces.took(message.bytes.count, at: now) { slow(connection, visitor, slowing, at: now) }
        if visitor.token.role == .host, runner.uncommittedBytes > uncommittedBytesMax, brakes.hold(connection) {
            measures.slowed(.uncommittedMegabytes)
        }
    }

    private func slow(_ connection: ConnectionID, _ visitor: Gate.Visitor, _ slowing: Pace.Slowing, at now: Int64) {
        measures.slowed(slowing.limit)
        brakes.slow(connection, for: .nanoseconds(slowing.wait))
        guard visitor.paces.own.isNoticeDue(at: now) else { return }
        logger.notice(
            "reads a peer slower",
            metadata: [
                "connection.id": "\(connection)", "limit": "limits.\(slowing.limit.rawValue)",
                "subject": "\(visitor.token.subject)",
            ])
        let notice = Notice(
            code: ErrorCode.tooMany.rawValue,
            message: "more comes than limits.\(slowing.limit.rawValue) allows: it is read slower")
        loop.send(
            OutgoingMessage(
                text: visitor.token.role == .host ? MessageToHost.notice(notice).bytes : MessageToClient.notice(notice).bytes),
            to: connection)
    }

    private func refused(_ error: WireError, _ connection: ConnectionID) {
        measures.refusedMessage()
        logger.debug(
            "refused a message",
            metadata: ["connection.id": "\(connection)", "code": "\(error.code)", "path": "\(error.path)"])
    }

    // MARK: - HTTP

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { routes.answer(request, id) }
}
