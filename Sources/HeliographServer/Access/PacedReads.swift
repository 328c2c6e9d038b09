import WebSocketEngine

/// Reads of the store shared by all who need one: once a second at most, however many strangers guess or peers ask, and at once if the
/// store reports a change. Confined to the main loop's thread.
final class PacedReads {
    /// Answers that wait, for a read that is due or for one under way. Those above it are given at once.
    static let waitingMax = 256
    static let interval = Duration.seconds(1)

    private let loop: EventLoop
    private let interval: Duration
    /// Calls back when the store was read (true), or could not be.
    private let read: (@escaping (Bool) -> Void) -> Void
    private var nextRead: ContinuousClock.Instant?
    /// Set while a read is due at `nextRead`.
    private var timer: TimerID?
    private var waiting: [(Bool) -> Void] = []
    /// Requests that wait for the next read, and those that reads under way answer.
    private var unanswered = 0

    init(loop: EventLoop, interval: Duration = PacedReads.interval, read: @escaping (@escaping (Bool) -> Void) -> Void) {
        self.loop = loop
        self.interval = interval
        self.read = read
    }

    /// `done` is called when a read has ended that began after this, with whether the store could be read; at once, as if it could not, where too
    /// many wait.
    func askInTime(then done: ((Bool) -> Void)? = nil) {
        if let done {
            guard unanswered < Self.waitingMax else { return done(false) }
            unanswered += 1
            waiting.append(done)
        }
        guard timer == nil else { return }
        let now = ContinuousClock.now
        guard let nextRead, nextRead > now else { return readNow() }
        timer = loop.schedule(after: nextRead - now) { [weak self] in
            self?.timer = nil
            self?.readNow()
        }
    }

    /// For all who wait, too. A store that could not be read is read again.
    func readNow() {
        if let timer { loop.cancel(timer) }
        timer = nil
        nextRead = .now + interval
        let answered = waiting
        waiting = []
        read { [self] wasRead in
            unanswered -= answered.count
            for done in answered { done(wasRead) }
            // An answer stays in doubt until the store was read.
            if !wasRead { askInTime() }
        }
    }
}
