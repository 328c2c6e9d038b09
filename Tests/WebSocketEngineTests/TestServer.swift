import Synchronization

@testable import WebSocketEngine
import HeliographTestSupport

/// Echoes and records. Its closures say what else it does; they run on the loop.
final class TestServer: ServerHandler, @unchecked Sendable {
    // Confined to its loop but for `events`, which is safe, and the closures, which are set before it listens.
    enum Event: Sendable {
        case upgradeRequested(HTTPRequest, ConnectionID)
        case opened(ConnectionID)
        case received(IncomingMessage, ConnectionID)
        case congested(ConnectionID)
        case drained(ConnectionID)
        case closed(ConnectionID, CloseReason)
        case abandoned(ConnectionID)
        case request(HTTPRequest, HTTPRequestID)
        case aborted(HTTPRequestID)
        case turnedAway(TurnAwayReason)
    }

    let events = EventLog<Event>()
    var decide: (HTTPRequest) -> UpgradeDecision = { _ in .accept(subprotocol: nil) }
    var onOpened: (EventLoop, ConnectionID) -> Void = { _, _ in }
    var onMessage: (EventLoop, IncomingMessage, ConnectionID) -> Void = { loop, message, connection in
        switch message.kind {
        case .text: loop.send(OutgoingMessage(text: message.bytes), to: connection)
        case .binary: loop.send(OutgoingMessage(binary: message.bytes), to: connection)
        }
    }
    var bodyBytesMax: (HTTPRequest) -> Int? = { _ in nil }
    var mayAskAgain: (HTTPRequest) -> Bool = { _ in true }
    var holder: (ConnectionID) -> String? = { _ in nil }
    /// Returns the response; nil leaves the request waiting.
    var answer: (HTTPRequest) -> HTTPResponse? = { request in
        HTTPResponse(
            status: 200, headers: [("x-test", "a\r\nevil: b")],
            body: .bytes(Array("\(request.method) \(request.path) \(request.query ?? "-") \(request.body.count)".utf8)))
    }

    private var loop: EventLoop?

    func attach(_ loop: EventLoop) { self.loop = loop }

    func turnedAway(_ reason: TurnAwayReason) { events.append(.turnedAway(reason)) }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        events.append(.upgradeRequested(request, connection))
        return decide(request)
    }

    func opened(_ connection: ConnectionID) {
        events.append(.opened(connection))
        onOpened(loop!, connection)
    }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        events.append(.received(message, connection))
        onMessage(loop!, message, connection)
    }

    func bodyBytesMax(of request: HTTPRequest) -> Int? { bodyBytesMax(request) }
    func mayAskAgain(after request: HTTPRequest) -> Bool { mayAskAgain(request) }
    func holder(of connection: ConnectionID) -> String? { holder(connection) }
    func congested(_ connection: ConnectionID) { events.append(.congested(connection)) }
    func drained(_ connection: ConnectionID) { events.append(.drained(connection)) }
    func closed(_ connection: ConnectionID, reason: CloseReason) { events.append(.closed(connection, reason)) }
    func upgradeAbandoned(_ connection: ConnectionID) { events.append(.abandoned(connection)) }

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) {
        events.append(.request(request, id))
        if let response = answer(request) { loop!.respond(to: id, response) }
    }

    func requestAborted(_ id: HTTPRequestID) { events.append(.aborted(id)) }

    // MARK: Awaiting

    func nextOpened() async throws -> ConnectionID {
        guard case .opened(let id) = try await events.next({ if case .opened = $0 { true } else { false } }) else {
            fatalError()
        }
        return id
    }

    func nextClosed(
        of connection: ConnectionID? = nil, within limit: Duration = .seconds(20)
    ) async throws -> CloseReason {
        guard
            case .closed(_, let reason) = try await events.next(
                within: limit,
                { if case .closed(let id, _) = $0 { connection == nil || id == connection } else { false } })
        else { fatalError() }
        return reason
    }

    func nextRequest() async throws -> (HTTPRequest, HTTPRequestID) {
        guard case .request(let request, let id) = try await events.next({ if case .request = $0 { true } else { false } })
        else { fatalError() }
        return (request, id)
    }

    var closedCount: Int { events.all.count { if case .closed = $0 { true } else { false } } }
}
