import Foundation
import Logging
import Synchronization

@testable import WebSocketEngine
import HeliographTestSupport

/// An event loop on a thread of its own, for one test.
final class TestLoop: Sendable {
    let handle: EventLoopHandle
    private let bound: LoopBound<EventLoop>
    private let ended: EventLog<Bool>

    private init(handle: EventLoopHandle, bound: LoopBound<EventLoop>, ended: EventLog<Bool>) {
        self.handle = handle
        self.bound = bound
        self.ended = ended
    }

    /// Epoll as the relay has it, unless a test is about both.
    static func start(_ waitMethod: WaitMethod = .epoll) async throws -> TestLoop {
        let ended = EventLog<Bool>()
        let started = EventLog<Result<(EventLoopHandle, LoopBound<EventLoop>), any Error>>()
        let thread = Thread {
            do {
                var logger = Logger(label: "engine.test")
                logger.logLevel = .error
                var configuration = EventLoop.Configuration()
                configuration.waitMethod = waitMethod
                try EventLoop.run(configuration, logger: logger) { loop in
                    started.append(.success((loop.handle, LoopBound(loop, loop: loop))))
                }
            } catch {
                started.append(.failure(error))
            }
            ended.append(true)
        }
        thread.start()
        let (handle, bound) = try await started.next { _ in true }.get()
        return TestLoop(handle: handle, bound: bound, ended: ended)
    }

    deinit {
        handle.stop()
    }

    /// Runs `body` on the loop and awaits its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let bound = bound
            handle.execute { continuation.resume(with: Result { try body(bound.value) }) }
        }
    }

    /// Waits until the thread is over.
    func stop() async throws {
        handle.stop()
        _ = try await ended.next { _ in true }
    }

    func listen(_ configuration: ListenerConfiguration, _ server: TestServer) async throws -> (port: Int, path: String?) {
        try await run { loop in
            server.attach(loop)
            let listener = try loop.listen(configuration, handler: server)
            return (Int(listener.port ?? 0), listener.path)
        }
    }

    func listen(
        _ server: TestServer, limits: Limits = Limits(), liveness: Liveness = Liveness(), subprotocols: [String] = []
    ) async throws -> Int {
        try await listen(
            ListenerConfiguration(
                address: .tcp(host: "127.0.0.1", port: 0), subprotocols: subprotocols, limits: limits, liveness: liveness),
            server
        ).port
    }
}
