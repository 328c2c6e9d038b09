internal import Synchronization

/// Joins the thread that gets signals with the loop, whichever is there first.
final class StopSwitch: Sendable {
    private struct State {
        var action: (@Sendable () -> Void)?
        var isFired = false
    }

    private let state = Mutex(State())

    func arm(_ action: @escaping @Sendable () -> Void) {
        let isFired = state.withLock { state in
            state.action = action
            return state.isFired
        }
        if isFired { action() }
    }

    func fire() {
        let action = state.withLock { state in
            state.isFired = true
            return state.action
        }
        action?()
    }
}
