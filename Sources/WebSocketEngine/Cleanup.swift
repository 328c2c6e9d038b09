internal import Glibc
package import Synchronization

/// Cleanup steps of a command, which also run if a signal ends it.
package final class Cleanup: Sendable {
    private let steps = Mutex<[@Sendable () -> Void]>([])
    /// A process that must not outlive this one; 0 for none. On a signal it is killed first.
    package let child = Mutex<Int32>(0)

    /// Create it before any other thread is started. SIGINT and SIGTERM then run it and end the process.
    package init() throws(WebSocketEngineError) {
        try SignalWatch.start(stopOnly: true) { [self] _ in
            child.withLock { if $0 > 0 { kill($0, SIGKILL) } }
            run()
            _exit(128 + SIGTERM)
        }
    }

    /// Steps run in reverse order of being added.
    package func add(_ step: @escaping @Sendable () -> Void) { steps.withLock { $0.append(step) } }

    /// Runs the steps once. A second call waits for the first and finds none.
    package func run() {
        steps.withLock { steps in
            for step in steps.reversed() { step() }
            steps = []
        }
    }
}
