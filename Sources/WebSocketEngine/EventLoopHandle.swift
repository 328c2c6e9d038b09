internal import CHeliographLibwebsockets
internal import Synchronization

/// Access to an event loop from any thread. Outlives the loop: work for a loop that has ended is dropped.
package final class EventLoopHandle: Sendable {
    private struct State {
        var bodies: [@Sendable () -> Void] = []
        var stopped = false
    }

    private let state = Mutex(State())
    /// The address of the `lws_context`; nil before the loop runs and after it. It has a lock of its own, because the loop takes
    /// the other one as soon as it wakes.
    private let context = Mutex<UInt?>(nil)

    init() {}

    /// Runs `body` on the loop's thread, after everything submitted before. Returns at once.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            guard !state.stopped else { return false }
            state.bodies.append(body)
            return state.bodies.count == 1
        }
        // Only the first one wakes the loop, which takes them all.
        if isFirst { wake() }
    }

    /// Ends the loop after its current turn; work submitted before is still run.
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

    /// Wakes the loop: the one call into libwebsockets that is safe from another thread. Under the lock, so that the context cannot
    /// vanish.
    private func wake() {
        context.withLock { context in
            guard let context, let pointer = unsafe OpaquePointer(bitPattern: context) else { return }
            unsafe lws_cancel_service(pointer)
        }
    }
}
