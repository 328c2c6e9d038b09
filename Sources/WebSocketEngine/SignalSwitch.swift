internal import Glibc
internal import Synchronization

/// Joins the thread that gets signals with the loop, whichever is there first.
package final class SignalSwitch: Sendable {
    private struct State {
        var action: (@Sendable (SignalWatch.Order) -> Void)?
        /// Counted also before there is anybody to take it. Other orders mean nothing to what has not begun.
        var stops = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func arm(_ action: @escaping @Sendable (SignalWatch.Order) -> Void) {
        let stops = state.withLock { state in
            state.action = action
            return state.stops
        }
        if stops > 0 { action(.stop) }
    }

    /// True if a stop was requested, even before there is a loop to carry it out.
    package var isStopping: Bool { state.withLock { $0.stops > 0 } }

    /// Call on the thread of the signals. A second order to stop is obeyed whatever hangs, a disk or a start: after
    /// `insistence` the process is ended as it stands, as if it had been killed.
    package func fire(_ order: SignalWatch.Order) {
        let (action, stops) = state.withLock { state in
            if order == .stop { state.stops += 1 }
            return (state.action, state.stops)
        }
        action?(order)
        if order == .stop, stops > 1 {
            sleep(Self.insistenceSeconds)
            _exit(1)
        }
    }

    private static let insistenceSeconds: UInt32 = 2
}
