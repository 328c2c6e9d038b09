internal import Synchronization

/// Joins the thread that gets signals with the loop, whichever is there first.
package final class SignalSwitch: Sendable {
    private struct State {
        var action: (@Sendable (SignalWatch.Order) -> Void)?
        /// Before there was anybody to take it. Other orders mean nothing to what has not begun.
        var isStopped = false
    }

    private let state = Mutex(State())

    package init() {}

    package func arm(_ action: @escaping @Sendable (SignalWatch.Order) -> Void) {
        let isStopped = state.withLock { state in
            state.action = action
            return state.isStopped
        }
        if isStopped { action(.stop) }
    }

    package func fire(_ order: SignalWatch.Order) {
        let action = state.withLock { state in
            if order == .stop { state.isStopped = true }
            return state.action
        }
        action?(order)
    }
}
