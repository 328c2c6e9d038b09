internal import Synchronization

/// Joins the thread that gets signals with the loop, whichever is there first.
package final class StopSwitch: Sendable {
    private struct State {
        var action: (@Sendable () -> Void)?
        var isFired = false
    }

    private let state = Mutex(State())

    package init() {}

    package func arm(_ action: @escaping @Sendable () -> Void) {
        let isFired = state.withLock { state in
            state.action = action
            return state.isFired
        }
        if isFired { action() }
    }

    package func fire() {
        let action = state.withLock { state in
            state.isFired = true
            return state.action
        }
        action?()
    }
}
