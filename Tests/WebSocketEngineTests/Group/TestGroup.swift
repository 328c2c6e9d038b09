import Foundation
import Logging
import HeliographTestSupport

@testable import WebSocketEngine

/// A group of event loops, for one test.
final class TestGroup: Sendable {
    private let handle: EventLoopHandle
    private let bound: LoopBound<EventLoopGroup>
    private let ended: EventLog<Bool>

    private init(_ handle: EventLoopHandle, _ bound: LoopBound<EventLoopGroup>, _ ended: EventLog<Bool>) {
        self.handle = handle
        self.bound = bound
        self.ended = ended
    }

    static func start(loops: Int) async throws -> TestGroup {
        let ended = EventLog<Bool>()
        let started = EventLog<Result<(EventLoopHandle, LoopBound<EventLoopGroup>), any Error>>()
        Thread {
            do {
                var logger = Logger(label: "engine.test")
                logger.logLevel = .error
                var configuration = EventLoop.Configuration()
                configuration.waitMethod = .epoll
                try EventLoopGroup.run(configuration, loops: loops, logger: logger) { group in
                    started.append(.success((group.main.handle, LoopBound(group, loop: group.main))))
                }
            } catch { started.append(.failure(error)) }
            ended.append(true)
        }.start()
        let (handle, bound) = try await started.next { _ in true }.get()
        return TestGroup(handle, bound, ended)
    }

    deinit { handle.stop() }

    /// Runs `body` on the main loop and awaits its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoopGroup) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let bound = bound
            handle.execute { continuation.resume(with: Result { try body(bound.value) }) }
        }
    }

    func listen(_ server: GroupServer, _ configuration: ListenerConfiguration) async throws -> UInt16 {
        try await run { try server.listen(configuration, on: $0).port ?? 0 }
    }

    /// Waits until all its threads are over.
    func stop() async throws {
        handle.stop()
        _ = try await ended.next { _ in true }
    }
}

/// Echoes and records, on the main loop; what comes in on others is handed to it.
final class GroupServer: @unchecked Sendable {
    // Confined to the main loop but for `events`, which is safe, and the closures, which are set before it listens.
    let events = EventLog<TestServer.Event>()
    var onEvent: (EventLoopGroup, TestServer.Event) -> Void = { group, event in
        switch event {
        case .received(let message, let connection): group.send(OutgoingMessage(text: message.bytes), to: connection)
        case .request(let request, let id):
            group.respond(to: id, HTTPResponse(status: 200, body: .bytes(Array("\(request.method) \(request.path)".utf8))))
        default: break
        }
    }

    func listen(_ configuration: ListenerConfiguration, on group: EventLoopGroup) throws -> Listener {
        let take = { [unowned group, self] (event: TestServer.Event) in
            events.append(event)
            onEvent(group, event)
        }
        let inbox = LoopInbox<TestServer.Event>(of: group.main) { $0.forEach(take) }
        return try group.listen(
            configuration, handler: GroupHandler(take), onOthers: { GroupHandler.onOther($0, inbox) })
    }

    func opened(_ count: Int) async throws -> [ConnectionID] {
        var connections: [ConnectionID] = []
        for _ in 0..<count {
            connections.append(try await events.first { if case .opened(let id) = $0 { id } else { nil } })
        }
        return connections
    }
}

private final class GroupHandler: ServerHandler {
    private let take: (TestServer.Event) -> Void

    init(_ take: @escaping (TestServer.Event) -> Void) { self.take = take }

    static func onOther(_ loop: EventLoop, _ inbox: LoopInbox<TestServer.Event>) -> GroupHandler {
        let turn = Turn()
        loop.inputsEnded = { [unowned loop] in inbox.post(&turn.events, bytes: turn.takeBytes(), from: loop) }
        return GroupHandler {
            turn.events.append($0)
            if case .received(let message, _) = $0 { turn.bytes += message.bytes.count }
        }
    }

    private final class Turn {
        var events: [TestServer.Event] = []
        var bytes = 0

        func takeBytes() -> Int {
            defer { bytes = 0 }
            return bytes
        }
    }

    func turnedAway(_ reason: TurnAwayReason) { take(.turnedAway(reason)) }
    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision { .accept(subprotocol: nil) }
    func opened(_ connection: ConnectionID) { take(.opened(connection)) }
    func received(_ message: IncomingMessage, on connection: ConnectionID) { take(.received(message, connection)) }
    func congested(_ connection: ConnectionID) { take(.congested(connection)) }
    func drained(_ connection: ConnectionID) { take(.drained(connection)) }
    func closed(_ connection: ConnectionID, reason: CloseReason) { take(.closed(connection, reason)) }
    func upgradeAbandoned(_ connection: ConnectionID) { take(.abandoned(connection)) }
    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { take(.request(request, id)) }
    func requestAborted(_ id: HTTPRequestID) { take(.aborted(id)) }
}
