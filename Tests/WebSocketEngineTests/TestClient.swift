import Synchronization

@testable import WebSocketEngine
import HeliographTestSupport

/// Records the events of an outbound connection.
final class TestClient: ClientHandler, @unchecked Sendable {
    // Confined to its loop but for `events`, which is safe.
    enum Event: Sendable {
        case opened(String?)
        case received(IncomingMessage)
        case closed(CloseReason)
    }

    let events = EventLog<Event>()

    func opened(_ connection: ConnectionID, subprotocol: String?) { events.append(.opened(subprotocol)) }
    func received(_ message: IncomingMessage, on connection: ConnectionID) { events.append(.received(message)) }
    func closed(_ connection: ConnectionID, reason: CloseReason) { events.append(.closed(reason)) }

    func nextOpened() async throws -> String? {
        guard
            case .opened(let subprotocol) = try await events.next({
                if case .received = $0 { false } else { true }
            })
        else { throw TestFailure("closed instead of opened: \(events.all)") }
        return subprotocol
    }

    func nextMessage() async throws -> IncomingMessage {
        guard case .received(let message) = try await events.next({ if case .received = $0 { true } else { false } })
        else { fatalError() }
        return message
    }

    func nextClosed(within limit: Duration = .seconds(20)) async throws -> CloseReason {
        guard
            case .closed(let reason) = try await events.next(within: limit, { if case .closed = $0 { true } else { false } })
        else { fatalError() }
        return reason
    }
}
