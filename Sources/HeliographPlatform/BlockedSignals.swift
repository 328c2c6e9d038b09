internal import Glibc

/// Signals that one thread waits for, while they are blocked on all threads.
package struct BlockedSignals: Sendable {
    package struct Signal: Sendable {
        package let number: Int32
        /// True if a process sent it. A terminal's signals are sent to all processes in its foreground.
        package let isFromProcess: Bool
    }

    /// Signals that ask a program to end.
    package static let ending = [SIGTERM, SIGINT, SIGHUP]

    private let numbers: [Int32]

    /// Blocks these signals. Call it before any other thread is started, as threads inherit what is blocked.
    package init(_ numbers: [Int32]) {
        self.numbers = numbers
        var set = set
        guard unsafe pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else {
            preconditionFailure("a mask can be blocked, whatever is in it")
        }
    }

    /// Waits for the next of these signals; blocks the calling thread.
    package func next() -> Signal {
        var set = set
        var info = unsafe siginfo_t()
        while true {
            // Another signal can interrupt the wait, which is then repeated.
            let number = unsafe sigwaitinfo(&set, &info)
            if number > 0 { return Signal(number: number, isFromProcess: unsafe info.si_code <= 0) }
        }
    }

    private var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }
}
