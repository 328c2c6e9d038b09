internal import Glibc
internal import HeliographHTTP2
internal import RelayProtocol
internal import WebSocketEngine

/// Plain HTTP for the simulator's user: `POST /` with a command of `APNsSimulator.perform`, or `{"commands": […]}`.
///
/// It can be reached from this machine only and protects no real data, so there is no token.
final class AdminHandler: ServerHandler {
    private let loop: EventLoop
    private let engine: HTTP2Engine
    private let transport: Transport

    init(loop: EventLoop, engine: HTTP2Engine, transport: Transport) {
        self.loop = loop
        self.engine = engine
        self.transport = transport
    }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        .refuse(status: 404, body: "no WebSocket is served here\n")
    }

    func opened(_ connection: ConnectionID) {}
    func received(_ message: IncomingMessage, on connection: ConnectionID) {}
    func closed(_ connection: ConnectionID, reason: CloseReason) {}

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) {
        guard request.path == "/" else { return loop.respond(to: id, HTTPResponse(status: 404)) }
        guard request.method == "POST" else { return loop.respond(to: id, HTTPResponse(status: 405)) }
        // A web page in a browser must not set clocks here; browsers always send this header.
        guard request.header("origin") == nil else { return loop.respond(to: id, HTTPResponse(status: 403)) }
        let handle = loop.handle
        let (bound, transport, body) = (LoopBound(self, loop: loop), transport, request.body)
        let isTaken = engine.execute { engineLoop in
            let result = transport.perform(body, engineLoop)
            handle.execute { bound.value.answer(result, to: id) }
        }
        if !isTaken { loop.respond(to: id, HTTPResponse(status: 503)) }
    }

    private func answer(_ result: Result<[UInt8], WireError>, to id: HTTPRequestID) {
        let json = [("content-type", "application/json")]
        switch result {
        case .success(let body): loop.respond(to: id, HTTPResponse(status: 200, headers: json, body: .bytes(body)))
        case .failure(let error):
            let body = JSONWriter.object { body in
                body.field("error", error.message)
                body.field("code", error.code.rawValue)
                body.field("path", error.path)
            }
            loop.respond(to: id, HTTPResponse(status: 400, headers: json, body: .bytes(body)))
        }
    }
}
