internal import CHeliographLibwebsockets
internal import CHeliographLinux
internal import Glibc

/// Ends the wait for sockets when a timer is due: a timerfd that is itself one descriptor of the loop.
final class TimerAlarm {
    let id: UInt64
    /// Closed by libwebsockets, together with its context.
    let descriptor: Int32
    /// When the alarm rings; nil if it has rung or is not set.
    private var time: MonotonicTime?
    /// True if it was rung only to wake the loop, usually before its time.
    private var isNudged = false
    /// A time in the past, so that the alarm rings now.
    private static let atOnce = MonotonicTime(nanoseconds: 1)

    init(loop: EventLoop) throws(WebSocketEngineError) {
        id = loop.makeID()
        // TFD_CLOEXEC and TFD_NONBLOCK have the same values as these.
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
        guard descriptor >= 0,
            unsafe clws_adopt_readable(loop.storage.plainVhost, descriptor, UnsafeMutableRawPointer(bitPattern: UInt(id)))
                != nil
        else { throw WebSocketEngineError(.initialisationFailed, "no timerfd: \(String(errno: errno))") }
    }

    /// Sets the alarm for `earliest`. An alarm set for an earlier time stays: a useless ring costs a turn, setting the alarm costs
    /// a system call.
    func set(_ earliest: MonotonicTime?) {
        if let time, time != Self.atOnce, earliest.map({ time <= $0 }) ?? true { return }
        if earliest != time { move(to: earliest) }
    }

    /// Makes the next wait end at once.
    func ring() {
        if time != Self.atOnce { move(to: Self.atOnce) }
    }

    /// Acts as if it rang, without a system call: the wait ends at once. While sockets are served, this is served next, unless it
    /// was pending already.
    func nudge(_ epoll: EpollWait) {
        isNudged = true
        epoll.nudge(descriptor)
    }

    /// Clears the alarm after it was served. If it has really rung in the meantime, it stays readable.
    func rang() {
        if isNudged {
            isNudged = false
            return
        }
        var count: UInt64 = 0
        while unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
        time = nil
    }

    private func move(to time: MonotonicTime?) {
        self.time = time
        // A relative time, 0 for never. An absolute one would be misread under a faked clock (libfaketime).
        let nanoseconds = time.map { max(1, $0.nanoseconds - MonotonicTime.now.nanoseconds) } ?? 0
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let result = unsafe timerfd_settime(descriptor, 0, &setting, nil)
        precondition(result == 0, "a timerfd takes every time that is not negative")
    }
}
