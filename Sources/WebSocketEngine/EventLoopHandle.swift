internal import CHeliographLibwebsockets
internal import Synchronization

/// Reaches an event loop from any thread. Outlives the loop: what is handed to a loop that is over is dropped.
package final class EventLoopHandle: Sendable {
    private struct State {
        var bodies: [@Sendable () -> Void] = []
        var stopped = false
    }

    private let state = Mutex(State())
    /// The address of the `lws_context`; nil before the loop runs and after it. Not under the other lock: the loop wants that one as soon as it wakes.
    private let context = Mutex<UInt?>(nil)

    init() {}

    /// Runs `body` on the loop's thread, after all that was handed in before it. Returns at once.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            guard !state.stopped else { return false }
            state.bodies.append(body)
            return state.bodies.count == 1
        }
        // Only the first one wakes: the loop takes them all.
        if isFirst { wake() }
    }

    /// Ends the loop after its current turn; what was handed in before is still run.
    package func stop() {
        state.withLock { $0.stopped = true }
        wake()
    }

    func attach(_ context: OpaquePointer) {
        self.context.withLock { $0 = UInt(bitPattern: context) }
    }

    func detach() {
        context.withLock { $0 = nil }
        state.withLock { $0.stopped = true }
    }

    /// Swaps the queue under the lock; the caller runs it outside.
    func take(into bodies: inout [@Sendable () -> Void]) -> Bool {
        state.withLock { state in
            swap(&state.bodies, &bodies)
            return state.stopped
        }
    }

    /// The one call into libwebsockets that is safe from another thread; under the lock, so that the context cannot vanish.
    private func wake() {
        context.withLock { context in
            guard let context, let pointer = unsafe OpaquePointer(bitPattern: context) else { return }
            unsafe lws_cancel_service(pointer)
        }
    }
}
