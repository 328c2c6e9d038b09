internal import Dispatch
internal import Glibc
internal import Logging
internal import Synchronization

/// A loop of a group on a thread of its own.
final class LoopThread: Sendable {
    private let loop: LoopBound<EventLoop>
    private let handle: EventLoopHandle
    private let thread: pthread_t

    /// Returns once the loop runs. Throws its error if it does not start.
    init(_ configuration: EventLoop.Configuration, number: Int, logger: Logger) throws {
        var configuration = configuration
        configuration.number = number
        configuration.name = "heliograph-io\(number)"
        let start = Start(configuration, logger)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                // Retained below, for this thread.
                unsafe Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        guard result == 0 else {
            unsafe Unmanaged.passUnretained(start).release()
            throw WebSocketEngineError(.initialisationFailed, "a thread could not be started: \(String(errno: result))")
        }
        self.thread = thread
        start.isDone.wait()
        switch start.outcome.withLock({ $0 }) {
        case .success(let made): (loop, handle) = (made.0, made.1)
        case .failure(let error):
            pthread_join(thread, nil)
            throw error
        case nil: preconditionFailure("a thread says how its start went")
        }
    }

    private final class Start: Sendable {
        let isDone = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<(LoopBound<EventLoop>, EventLoopHandle), any Error>?>(nil)
        private let configuration: EventLoop.Configuration
        private let logger: Logger

        init(_ configuration: EventLoop.Configuration, _ logger: Logger) {
            self.configuration = configuration
            self.logger = logger
        }

        func run() {
            do {
                try EventLoop.run(configuration, logger: logger) { loop in
                    outcome.withLock { $0 = .success((LoopBound(loop, loop: loop), loop.handle)) }
                    isDone.signal()
                }
            } catch {
                outcome.withLock { $0 = .failure(error) }
                isDone.signal()
            }
        }
    }

    /// Runs `body` on the loop, after everything handed over before.
    func handOver(_ body: @escaping @Sendable (EventLoop) -> Void) {
        let loop = loop
        handle.execute { body(loop.value) }
    }

    /// Runs `body` on the loop and waits for its result. For setup only: the loop must not be waiting for the calling thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) throws -> Value) throws -> Value {
        let isDone = DispatchSemaphore(value: 0)
        let result = Answer<Value>()
        handOver { loop in
            let value = Result { try body(loop) }
            result.value.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        guard let value = result.value.withLock({ $0 }) else { preconditionFailure("the loop has answered") }
        return try value.get()
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Ends the loop after everything handed over before, and waits for its thread.
    func stop() {
        handle.stop()
        pthread_join(thread, nil)
    }
}
