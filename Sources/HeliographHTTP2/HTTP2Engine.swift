internal import Glibc
internal import Synchronization

/// A thread that speaks HTTP/2 on any number of connections, as client and as server. Used from any thread; ends with the last
/// reference, or by `stop()`.
package final class HTTP2Engine: Sendable {
    private let queue: JobQueue

    /// Starts the thread. Throws `systemFailed`.
    package init() throws(HTTP2Error) {
        queue = try JobQueue()
        let start = unsafe Unmanaged.passRetained(queue)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                // Retained above, for this thread.
                HTTP2Loop(queue: unsafe Unmanaged<JobQueue>.fromOpaque(argument!).takeRetainedValue()).run()
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            unsafe start.release()
            throw HTTP2Error(.systemFailed, "the system gave no thread: \(String(errno: result))")
        }
        pthread_detach(thread)
    }

    deinit { queue.stop() }

    /// Runs `body` on the loop's thread, after everything submitted before it. Returns at once; false if the engine has been stopped, and
    /// `body` does not run.
    @discardableResult
    package func execute(_ body: @escaping @Sendable (HTTP2Loop) -> Void) -> Bool { queue.add(body) }

    /// Runs `body` on the loop's thread and awaits its result. Throws the errors of `body`, or `HTTP2Error` `stopped`.
    package func run<Value: Sendable>(_ body: @escaping @Sendable (HTTP2Loop) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = execute { loop in continuation.resume(with: Result { try body(loop) }) }
            if !isTaken { continuation.resume(throwing: HTTP2Error(.stopped, "the HTTP/2 engine is stopping")) }
        }
    }

    /// Ends the thread after everything submitted before. Connections are dropped, and their handlers told.
    package func stop() { queue.stop() }
}
