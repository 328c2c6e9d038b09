internal import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// The Unix socket that hooks and programs use: HTTP/1.1, for processes of the same user only.
///
/// | request | answer |
/// |---|---|
/// | `POST /v1/hook/AGENT/EVENT` | 204 when it is in the spool. If the agent's adapter answers this event: 200 and the hook's
/// output, or 204 for no decision; this may take a day |
/// | `POST /v1/statusline/AGENT` | 204 |
/// | `POST /v1/agent/WHAT` | any program's own events and questions, and its steering, see the page Agents of the documentation |
/// | `GET /v1/alive` | 204: a waiting hook asks now and then |
/// | `GET /v1/status` | the daemon's status, as JSON |
/// | `/v1/trust`, `/v1/devices`, `/v1/distrust` | see `ConsentRoute` |
final class LocalSocket: ServerHandler {
    /// Bytes of the largest request of a hook (see `HookLimits.inputBytesMax`).
    private static let bodyBytesMax = 8 << 20

    private let loop: EventLoop
    private let drivers: [String: any AgentDriver]
    private let logger: Logger
    private let tell: (HostFact) -> Void
    private let status: () -> [UInt8]
    private var arrivals = Arrivals()

    init(
        _ loop: EventLoop, _ drivers: [String: any AgentDriver], _ logger: Logger, tell: @escaping (HostFact) -> Void,
        status: @escaping () -> [UInt8]
    ) {
        self.loop = loop
        self.drivers = drivers
        self.logger = logger
        self.tell = tell
        self.status = status
    }

    /// Throws if no socket can be made at that path.
    static func check(_ path: String) throws(HostError) {
        guard UnixAddress(path) != nil else {
            throw HostError(
                .tooLong,
                """
                the socket that hooks find the daemon by would be \(path), which has \(path.utf8.count) bytes, and at most \
                \(UnixAddress.pathBytesMax) are possible. Set HELIOGRAPH_SOCKET to a shorter path, here and for the agents
                """)
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK else { return }
        throw HostError(.file, "\(path) is in the way: the socket that hooks find the daemon by belongs there. Move it away")
    }

    static func listener(at path: String) -> ListenerConfiguration {
        var limits = Limits()
        limits.httpBodyBytesMax = bodyBytesMax
        var listener = ListenerConfiguration(address: .unix(path: path), limits: limits)
        listener.extraHeaders = [
            "x-agent-pid", "x-agent-entrypoint", "x-agent-attended", "x-attempt", "x-call", "x-cut", "x-dialog-waits",
        ]
        return listener
    }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        .refuse(status: 404, body: "no WebSocket is served here\n")
    }

    func opened(_ connection: ConnectionID) {}

    func received(_ message: IncomingMessage, on connection: ConnectionID) {}

    func closed(_ connection: ConnectionID, reason: CloseReason) {}

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { arrivals.received(request, id) }

    func requestAborted(_ id: HTTPRequestID) { if !arrivals.left(id) { callerGone(id) } }

    /// Handles the arrivals of this turn.
    func turnEnds() {
        for arrival in arrivals.take() {
            switch arrival {
            case .request(let request, let id): serve(request, id)
            case .gone(let id): callerGone(id)
            }
        }
    }

    private func serve(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard case .unix(let user, _) = request.peer, user == getuid() else {
            loop.respond(to: id, HTTPResponse(status: 403))
            return
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let driver = parts.count > 2 ? drivers[parts[2]] as? any HookDriver : nil
        switch (request.method, parts.count, parts.prefix(2), driver) {
        case ("POST", 4, ["v1", "hook"], let driver?): hookCalled(parts[3], request, id, driver)
        case ("POST", 3, ["v1", "statusline"], let driver?):
            if let line = parse(request, "statusLine") { driver.statusLineShown(line, process: process(request)) }
            loop.respond(to: id, HTTPResponse(status: 204))
        case ("POST", 3...4, ["v1", "agent"], _): programRequested(parts.dropFirst(2).joined(separator: "/"), request, id)
        case ("GET", 2, ["v1", "alive"], _): loop.respond(to: id, HTTPResponse(status: 204))
        case ("GET", 2, ["v1", "status"], _):
            loop.respond(
                to: id, HTTPResponse(status: 200, headers: [("content-type", "application/json")], body: .bytes(status())))
        default:
            guard let asked = ConsentRoute.request(request) else { return loop.respond(to: id, HTTPResponse(status: 404)) }
            tell(.consentAsked(asked, HookToken(rawValue: id.rawValue)))
        }
    }

    private func callerGone(_ id: HTTPRequestID) {
        let token = HookToken(rawValue: id.rawValue)
        for driver in drivers.values { driver.callerGone(token) }
        tell(.hookGone(token))
    }

    private func hookCalled(_ event: String, _ request: HTTPRequest, _ id: HTTPRequestID, _ driver: any HookDriver) {
        let isAnswered = driver.answers(event)
        let strict = parse(request, event)
        driver.hookCalled(
            HookReport(
                // A payload that is not strict JSON is repaired as well as possible, so that no event of an agent is lost.
                event: event, payload: strict ?? JSONRepair.document(request.body),
                isWhole: strict != nil && request.header("x-cut") == nil, process: process(request),
                isAttended: request.header("x-agent-attended") != HookCaller.unattended,
                isRun: request.header("x-agent-attended") == HookCaller.run,
                dialogWaits: request.header("x-dialog-waits") != nil,
                attempt: request.header("x-attempt").flatMap { Int($0) } ?? 1,
                run: request.header("x-call").flatMap(Self.run),
                token: isAnswered ? HookToken(rawValue: id.rawValue) : nil))
        if !isAnswered { loop.respond(to: id, HTTPResponse(status: 204)) }
    }

    /// Handles a program's request. Unless the program says otherwise, its process is the one that connected.
    private func programRequested(_ what: String, _ request: HTTPRequest, _ id: HTTPRequestID) {
        let token = HookToken(rawValue: id.rawValue)
        var caller = process(request)
        if request.header("x-agent-pid") == nil, case .unix(_, let id) = request.peer { caller = AgentProcessTable.process(id) }
        // Programs choose the names of their sessions, which may look like an agent's.
        let owner = SteeredWord.paths.contains(what) ? SteeredWord.adapter(in: request.body) ?? LocalIntegration.name : nil
        for (name, driver) in drivers where owner == nil || owner == name {
            if let driver = driver as? any ProgramDriver, driver.requested(what, request.body, by: caller, token) { return }
        }
        loop.respond(to: id, HTTPResponse(status: 404))
    }

    /// The name of a hook's run; nil unless it is 16 bytes in hexadecimal.
    static func run(_ header: String) -> String? {
        let isName = header.utf8.count == 32 && header.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isName ? header : nil
    }

    private func parse(_ request: HTTPRequest, _ event: String) -> JSONDocument? {
        do throws(WireError) {
            let document = try JSONDocument(parsing: request.body)
            _ = try document.root.object()
            return document
        } catch {
            logger.warning(
                "a hook's input was not understood",
                metadata: ["event": "\(event.prefix(64))", "code": "\(error.code.rawValue)", "bytes": "\(request.body.count)"])
            return nil
        }
    }

    private func process(_ request: HTTPRequest) -> AgentProcess? {
        guard let number = request.header("x-agent-pid").flatMap({ Int32($0) }), case .unix(_, let peer) = request.peer else {
            return nil
        }
        return AgentProcessTable.process(number, saidBy: peer)
    }

    func respond(_ token: HookToken, _ output: [UInt8]?) {
        let id = HTTPRequestID(rawValue: token.rawValue)
        guard let output else {
            loop.respond(to: id, HTTPResponse(status: 204))
            return
        }
        loop.respond(to: id, HTTPResponse(status: 200, headers: [("content-type", "application/json")], body: .bytes(output)))
    }
}
