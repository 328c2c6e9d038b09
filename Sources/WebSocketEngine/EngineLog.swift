internal import CHeliographLibwebsockets
internal import Glibc
internal import Logging
internal import Synchronization

/// Forwards libwebsockets' log lines to swift-log. Process-wide, like its callback; the last loop's logger gets them.
///
/// Peers can make libwebsockets log at will, so at most `linesPerSecondMax` lines are forwarded; the rest are counted.
enum EngineLog {
    static let linesPerSecondMax = 10

    private struct State {
        var logger: Logger?
        var second: Int64 = 0
        var lines = 0
        var suppressed = 0
    }

    private static let state = Mutex(State())

    /// Line that libwebsockets logs before it drops a peer whose headers are too long. No callback reports that.
    private static let headerOverrun = "Ran out of header data space"
    /// Threads on which that line was logged and the connection is not closed yet.
    private static let overrunThreads = Mutex<Set<pthread_t>>([])

    /// True if this thread's next connection to close had headers that were too long: libwebsockets closes it before it reads another one.
    /// If it waits in poll(2) and has to end TLS first, it may close others before.
    static func takeHeaderOverrun() -> Bool { overrunThreads.withLock { $0.remove(pthread_self()) != nil } }

    /// Handles a line of libwebsockets. Events that we count and log ourselves are not logged twice.
    static func take(level: Int32, line: String) {
        guard !line.contains(headerOverrun) else {
            overrunThreads.withLock { _ = $0.insert(pthread_self()) }
            return
        }
        write(level: level, line: line)
    }

    /// Warnings and errors; notices report ordinary events.
    private static let levels = LLL_ERR | LLL_WARN

    static func install(_ logger: Logger) {
        state.withLock { $0.logger = logger }
        // The callback captures nothing.
        unsafe lws_set_log_level(levels, engineLogCallback)
    }

    /// Makes the log of one context and its vhosts.
    static func make() -> clws_log { unsafe clws_log_make(levels, engineLogCallback) }

    static func write(level: Int32, line: String) {
        let (logger, suppressed) = state.withLock { state -> (Logger?, Int) in
            let second = MonotonicTime.now.nanoseconds / 1_000_000_000
            var suppressed = 0
            if second != state.second {
                suppressed = state.suppressed
                state.second = second
                state.lines = 0
                state.suppressed = 0
            }
            guard state.lines < linesPerSecondMax else {
                state.suppressed += 1
                return (nil, 0)
            }
            state.lines += 1
            return (state.logger, suppressed)
        }
        guard let logger else { return }
        var metadata: Logger.Metadata = ["line": "\(line)"]
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.log(level: level & LLL_ERR != 0 ? .warning : .info, "libwebsockets", metadata: metadata)
    }
}

/// `line` belongs to libwebsockets; it may hold what a peer sent, so control characters are left out.
private func engineLogCallback(_ level: Int32, _ line: UnsafePointer<CChar>?) {
    guard let line = unsafe line else { return }
    let text = unsafe String(cString: line).unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    EngineLog.take(level: level, line: String(String.UnicodeScalarView(text).prefix(200)))
}
