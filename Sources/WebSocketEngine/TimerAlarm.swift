internal import CHeliographLibwebsockets
internal import CHeliographLinux
internal import Glibc

/// Ends the wait for sockets when a timer is due: a timerfd that is itself one descriptor of the loop.
final class TimerAlarm {
    let id: UInt64
    /// Closed by libwebsockets, with its context.
    let descriptor: Int32
    /// When the alarm rings; nil if it has rung or is not set.
    private var time: MonotonicTime?
    /// Rung only to wake the loop, usually before its time.
    private var isNudged = false
    /// In the past, so that it rings now.
    private static let atOnce = MonotonicTime(nanoseconds: 1)

    init(loop: EventLoop) throws(WebSocketEngineError) {
        id = loop.makeID()
        // TFD_CLOEXEC and TFD_NONBLOCK have the same values.
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
        guard descriptor >= 0,
            unsafe clws_adopt_readable(loop.storage.plainVhost, descriptor, UnsafeMutableRawPointer(bitPattern: UInt(id)))
                != nil
        else { throw WebSocketEngineError(.initialisationFailed, "no timerfd: \(String(errno: errno))") }
    }

    /// Rings when `earliest` comes. An alarm that is set for a time before that stays: ringing for nothing costs a turn, setting it
    /// costs a system call.
    func set(_ earliest: MonotonicTime?) {
        if let time, time != Self.atOnce, earliest.map({ time <= $0 }) ?? true { return }
        if earliest != time { move(to: earliest) }
    }

    /// The next wait ends at once.
    func ring() {
        if time != Self.atOnce { move(to: Self.atOnce) }
    }

    /// As if it rang, without a system call: the wait ends at once; and while sockets are served, this is the next, unless it was already
    /// waiting to be.
    func nudge(_ epoll: EpollWait) {
        isNudged = true
        epoll.nudge(descriptor)
    }

    /// One that really rang meanwhile goes on ringing.
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
        // In so many nanoseconds, 0 for never; not at a time of the clock, which a wrong clock put in front of us (libfaketime) takes for its own.
        let nanoseconds = time.map { max(1, $0.nanoseconds - MonotonicTime.now.nanoseconds) } ?? 0
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let result = unsafe timerfd_settime(descriptor, 0, &setting, nil)
        precondition(result == 0, "a timerfd takes every time that is not negative")
    }
}
