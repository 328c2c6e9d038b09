internal import Glibc
internal import HeliographPlatform

/// Signals as calls on a thread of their own, where anything may be done.
package enum SignalWatch {
    package enum Order: Sendable {
        /// SIGTERM or SIGINT
        case stop
        /// SIGHUP: read again what may have changed.
        case reload
        /// SIGUSR1: tell how things are.
        case report
    }

    /// Call before any other thread is started: they inherit that these signals are not theirs. With `stopOnly` the others do what
    /// they do by themselves; with `hangUpStops` SIGHUP is as SIGTERM.
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
