internal import AgentClaude
internal import Glibc
internal import HeliographLink
internal import HostCore
internal import Logging
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// The Unix socket that hooks talk to: HTTP/1.1, for processes of the same user only.
///
/// | request | answer |
/// |---|---|
/// | `POST /v1/hook/claude/PermissionRequest` | 200 and what the hook prints, or 204: no decision; maybe tomorrow |
/// | `POST /v1/hook/claude/PreToolUse` | 204 when it is in the spool; 200 and what the hook prints where the session is held |
/// | `POST /v1/hook/claude/EVENT` | 204 when it is in the spool |
/// | `POST /v1/statusline/claude` | 204 |
/// | `GET /v1/alive` | 204: a hook that waits asks now and then |
/// | `GET /v1/status` | what this daemon does, as JSON |
extension HostDaemon: ServerHandler {
    /// As much as a hook hands over (see `HookLimits.inputBytesMax`).
    private static let bodyBytesMax = 8 << 20

    var localSocket: ListenerConfiguration {
        var limits = Limits()
        limits.httpBodyBytesMax = Self.bodyBytesMax
        var listener = ListenerConfiguration(address: .unix(path: configuration.socketPath), limits: limits)
        listener.extraHeaders = ["x-agent-pid", "x-agent-entrypoint", "x-agent-attended", "x-attempt", "x-call", "x-cut"]
        return listener
    }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        .refuse(status: 404, body: "no WebSocket is served here\n")
    }

    func opened(_ connection: ConnectionID) {}

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) {
        guard case .unix(let user, _) = request.peer, user == getuid() else {
            loop.respond(to: id, HTTPResponse(status: 403))
            return
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch (request.method, parts.count, parts.prefix(3)) {
        case ("POST", 4, ["v1", "hook", "claude"]): hookCalled(parts[3], request, id)
        case ("POST", 3, ["v1", "statusline", "claude"]):
            if let line = parse(request, "statusLine") { tell(.statusLineShown(line, process: process(request))) }
            loop.respond(to: id, HTTPResponse(status: 204))
        case ("GET", 2, ["v1", "alive"]): loop.respond(to: id, HTTPResponse(status: 204))
        case ("GET", 2, ["v1", "status"]):
            loop.respond(
                to: id, HTTPResponse(status: 200, headers: [("content-type", "application/json")], body: .bytes(status)))
        default: loop.respond(to: id, HTTPResponse(status: 404))
        }
    }

    func requestAborted(_ id: HTTPRequestID) {
        // While we stop, connections end because of us: the hooks will call again.
        guard !isEnding else { return }
        let token = HookToken(rawValue: id.rawValue)
        forget(token)
        tell(.hookGone(token))
    }

    private func hookCalled(_ event: String, _ request: HTTPRequest, _ id: HTTPRequestID) {
        let isAsked = event == "PermissionRequest" || event == "PreToolUse"
        let strict = parse(request, event)
        // What is not strict JSON is shown as well as it can be, so that no event of an agent vanishes.
        var hook = ClaudeHook(event: event, payload: strict ?? JSONRepair.document(request.body), process: process(request))
        hook.isWhole = strict != nil && request.header("x-cut") == nil
        hook.isAttended = request.header("x-agent-attended") != "0"
        hook.attempt = request.header("x-attempt").flatMap { Int($0) } ?? 1
        hook.run = request.header("x-call").flatMap(Self.run)
        if isAsked { hook.token = HookToken(rawValue: id.rawValue) }
        if event == "PermissionRequest", let path = ClaudeFile.path(of: hook.payload.root) {
            ask(hook, about: path)
        } else {
            tell(.hookCalled(hook))
        }
        if !isAsked { loop.respond(to: id, HTTPResponse(status: 204)) }
    }

    /// Anything but 16 bytes in hexadecimal is no name of a hook's run.
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
        request.header("x-agent-pid").flatMap { Int32($0) }.flatMap(AgentProcessTable.process)
    }

    func respond(_ token: HookToken, _ output: [UInt8]?) {
        let id = HTTPRequestID(rawValue: token.rawValue)
        guard let output else {
            loop.respond(to: id, HTTPResponse(status: 204))
            return
        }
        loop.respond(to: id, HTTPResponse(status: 200, headers: [("content-type", "application/json")], body: .bytes(output)))
    }

    // MARK: Status

    private var status: [UInt8] {
        JSONWriter.object { writer in
            writer.object("link") {
                $0.field("state", linkState)
                $0.field("relay", configuration.relay.description)
            }
            writer.array(
                "sessions",
                adapter.sessionsInOrder.filter { !$0.isEnded }.map { session in
                    JSONWriter.object {
                        $0.field("session", session.id)
                        $0.field("status", session.status?.rawValue)
                        $0.field("pid", session.process.map { Int64($0.id) })
                    }
                })
            writer.array(
                "approvals",
                adapter.approvals.map { approval in
                    JSONWriter.object {
                        $0.field("approval", approval.id)
                        $0.field("session", approval.session)
                        $0.field("tool", approval.tool)
                        $0.field("phase", approval.phase.name)
                        $0.field("digest", approval.digest.rawValue)
                    }
                })
            writer.object("spool") {
                $0.field("events", Int64(spool.index.pendingCount))
                $0.field("bytes", Int64(spool.index.bytes))
                $0.field("dropped", Int64(spool.droppedCount))
            }
        }
    }

    private var linkState: String {
        switch link.state {
        case .idle, .waiting: "waiting"
        case .connecting: "connecting"
        case .greeting: "greeting"
        case .up: "live"
        case .over: "replaced"
        }
    }
}
