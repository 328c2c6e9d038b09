import WebSocketEngine

/// Echoes every message.
final class EchoServer: ServerHandler {
    private unowned let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision { .accept(subprotocol: nil) }
    func opened(_ connection: ConnectionID) {}
    func received(_ message: IncomingMessage, on connection: ConnectionID) { loop.echo(message, to: connection) }
    func closed(_ connection: ConnectionID, reason: CloseReason) {}
    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { loop.respond(to: id, HTTPResponse(status: 404)) }
}
