internal import Glibc

/// Signals that one thread waits for, where otherwise they would interrupt or end whatever runs.
package struct BlockedSignals: Sendable {
    package struct Signal: Sendable {
        package let number: Int32
        /// A process sent it. What a terminal sends goes to all who sit at it.
        package let isFromProcess: Bool
    }

    /// Signals that ask a program to end.
    package static let ending = [SIGTERM, SIGINT, SIGHUP]

    private let numbers: [Int32]

    /// Call it before any other thread is started: they inherit that these signals are not theirs.
    package init(_ numbers: [Int32]) {
        self.numbers = numbers
        var set = set
        guard unsafe pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else {
            preconditionFailure("a mask can be blocked, whatever is in it")
        }
    }

    /// Waits on this thread.
    package func next() -> Signal {
        var set = set
        var info = unsafe siginfo_t()
        while true {
            // Cut short by another signal, it waits on.
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
