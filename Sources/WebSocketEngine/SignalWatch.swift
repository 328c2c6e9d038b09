internal import Glibc
internal import HeliographPlatform

/// Delivers signals as calls on a separate thread, where any function may be called.
package enum SignalWatch {
    package enum Order: Sendable {
        /// SIGTERM or SIGINT
        case stop
        /// SIGHUP: reload what may have changed.
        case reload
        /// SIGUSR1: report the state.
        case report
    }

    /// Call before any other thread is started: new threads inherit the blocked signals. With `stopOnly` SIGHUP and SIGUSR1 keep
    /// their default effect; with `hangUpStops` SIGHUP acts like SIGTERM.
    package static func start(
        stopOnly: Bool = false, hangUpStops: Bool = false, _ call: @escaping @Sendable (Order) -> Void
    ) throws(WebSocketEngineError) {
        let signals = BlockedSignals(stopOnly ? [SIGTERM, SIGINT] : [SIGTERM, SIGINT, SIGHUP, SIGUSR1])
        let isStarted = BackgroundThread.start {
            while true { call(order(of: signals.next().number, hangUpStops: hangUpStops)) }
        }
        guard isStarted else {
            throw WebSocketEngineError(.initialisationFailed, "the thread for signals could not be started")
        }
    }

    private static func order(of signal: Int32, hangUpStops: Bool) -> Order {
        switch signal {
        case SIGHUP: hangUpStops ? .stop : .reload
        case SIGUSR1: .report
        default: .stop
        }
    }
}
