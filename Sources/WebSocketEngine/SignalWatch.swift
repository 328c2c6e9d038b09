internal import Glibc

/// SIGTERM and SIGINT as calls on a thread of their own, where anything may be done.
package enum SignalWatch {
    private final class Body: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    /// Call before any other thread is started: they inherit that these signals are not theirs.
    package static func start(_ call: @escaping @Sendable () -> Void) throws(WebSocketEngineError) {
        var signals = signals
        guard unsafe pthread_sigmask(SIG_BLOCK, &signals, nil) == 0 else {
            throw WebSocketEngineError(.initialisationFailed, "the signals could not be blocked")
        }
        var thread = pthread_t()
        // The thread owns the reference and never ends.
        let body = unsafe Unmanaged.passRetained(Body(call)).toOpaque()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeUnretainedValue()
                var signals = SignalWatch.signals
                var signal: Int32 = 0
                while unsafe sigwait(&signals, &signal) == 0 { body.call() }
                return nil
            }, body)
        guard result == 0 else {
            throw WebSocketEngineError(.initialisationFailed, "the thread for signals could not be started")
        }
        pthread_detach(thread)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigaddset(&signals, SIGINT)
        return signals
    }
}
