internal import Glibc
internal import Synchronization

/// Passes signals to the loop's action, from the signal thread, even if the signal came before the action was set.
package final class SignalSwitch: Sendable {
    private struct State {
        var action: (@Sendable (SignalWatch.Order) -> Void)?
        /// Stops are counted even before there is an action. Other orders are dropped then.
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

    /// To be called on the signal thread. A second stop is carried out whatever hangs, a disk or a start: after `insistence` the
    /// process is killed.
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
