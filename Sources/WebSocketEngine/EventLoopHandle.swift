internal import CLibwebsockets
internal import Synchronization

/// Reaches an event loop from any thread. Outlives the loop: what is handed to a loop that is over is dropped.
package final class EventLoopHandle: Sendable {
    private struct State {
        var bodies: [@Sendable () -> Void] = []
        var stopped = false
        /// Of the `lws_context`; nil before the loop runs and after it.
        var context: UInt?
    }

    private let state = Mutex(State())

    init() {}

    /// Runs `body` on the loop's thread, after all that was handed in before it. Returns at once.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.stopped else { return }
            state.bodies.append(body)
            // Only the first one wakes: the loop takes them all. Under the lock, so that the context cannot vanish.
            if state.bodies.count == 1 { Self.wake(state.context) }
        }
    }

    /// Ends the loop after its current turn; what was handed in before is still run.
    package func stop() {
        state.withLock { state in
            state.stopped = true
            Self.wake(state.context)
        }
    }

    func attach(_ context: OpaquePointer) {
        state.withLock { $0.context = UInt(bitPattern: context) }
    }

    func detach() {
        state.withLock { state in
            state.context = nil
            state.stopped = true
        }
    }

    /// Swaps the queue under the lock; the caller runs it outside.
    func take(into bodies: inout [@Sendable () -> Void]) -> Bool {
        state.withLock { state in
            swap(&state.bodies, &bodies)
            return state.stopped
        }
    }

    /// The one call into libwebsockets that is safe from another thread.
    private static func wake(_ context: UInt?) {
        guard let context, let pointer = unsafe OpaquePointer(bitPattern: context) else { return }
        unsafe lws_cancel_service(pointer)
    }
}
