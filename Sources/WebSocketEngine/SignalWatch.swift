internal import Glibc

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

    private final class Body: Sendable {
        let stopOnly: Bool
        let hangUpStops: Bool
        let call: @Sendable (Order) -> Void

        init(stopOnly: Bool, hangUpStops: Bool, _ call: @escaping @Sendable (Order) -> Void) {
            self.stopOnly = stopOnly
            self.hangUpStops = hangUpStops
            self.call = call
        }
    }

    /// Call before any other thread is started: they inherit that these signals are not theirs. With `stopOnly` the others do what
    /// they do by themselves; with `hangUpStops` SIGHUP is as SIGTERM.
    package static func start(
        stopOnly: Bool = false, hangUpStops: Bool = false, _ call: @escaping @Sendable (Order) -> Void
    ) throws(WebSocketEngineError) {
        var signals = stopOnly ? stops : all
        guard unsafe pthread_sigmask(SIG_BLOCK, &signals, nil) == 0 else {
            throw WebSocketEngineError(.initialisationFailed, "the signals could not be blocked")
        }
        var thread = pthread_t()
        // The thread owns the reference and never ends.
        let body = unsafe Unmanaged.passRetained(Body(stopOnly: stopOnly, hangUpStops: hangUpStops, call)).toOpaque()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeUnretainedValue()
                var signals = body.stopOnly ? SignalWatch.stops : SignalWatch.all
                var signal: Int32 = 0
                while unsafe sigwait(&signals, &signal) == 0 {
                    body.call(SignalWatch.order(of: signal, hangUpStops: body.hangUpStops))
                }
                return nil
            }, body)
        guard result == 0 else {
            throw WebSocketEngineError(.initialisationFailed, "the thread for signals could not be started")
        }
        pthread_detach(thread)
    }

    private static func order(of signal: Int32, hangUpStops: Bool) -> Order {
        switch signal {
        case SIGHUP: hangUpStops ? .stop : .reload
        case SIGUSR1: .report
        default: .stop
        }
    }

    private static var stops: sigset_t { Self.signals(SIGTERM, SIGINT) }
    private static var all: sigset_t { Self.signals(SIGTERM, SIGINT, SIGHUP, SIGUSR1) }

    private static func signals(_ signals: Int32...) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }
}
