internal import Glibc
internal import Synchronization

/// Jobs that other threads submit to the loop, and the descriptor that wakes it.
final class JobQueue: Sendable {
    typealias Job = @Sendable (HTTP2Loop) -> Void

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    /// The descriptors for waking: the first is readable when there are jobs. Open as long as this object lives.
    let descriptor: Int32
    private let waker: Int32

    init() throws(HTTP2Error) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw HTTP2Error(.systemFailed, "the system gave no pipe: \(String(errno: errno))")
        }
        for end in ends { SocketAddress.setFlags(end) }
        (descriptor, waker) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(waker)
    }

    func add(_ job: @escaping Job) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            state.jobs.append(job)
            return (true, state.jobs.count == 1)
        }
        // Only the first one wakes the loop, which takes them all.
        if isFirst { wake() }
        return isTaken
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    /// Takes all jobs, in order; `isStopped` if no more will come.
    func take() -> (jobs: [Job], isStopped: Bool) {
        var bytes: UInt64 = 0
        while unsafe read(descriptor, &bytes, 8) > 0 {}
        return state.withLock { state in
            let jobs = state.jobs
            state.jobs = []
            return (jobs, state.isStopped)
        }
    }

    private func wake() {
        var one: UInt8 = 1
        // The write fails only if the counter is full; the descriptor is readable then anyway.
        _ = unsafe write(waker, &one, 1)
    }
}
