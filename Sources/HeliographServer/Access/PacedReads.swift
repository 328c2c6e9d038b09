import WebSocketEngine

/// Reads of the store, shared by all callers: once a second at most, however many strangers guess or peers connect, and at once if
/// the store reports a change. Confined to the main loop's thread.
final class PacedReads {
    /// Limit of callers that wait for a read that is due or under way. Further ones are answered at once.
    static let waitingMax = 256
    static let interval = Duration.seconds(1)

    private let loop: EventLoop
    private let interval: Duration
    /// Reads the store, and calls back with whether that succeeded.
    private let read: (@escaping (Bool) -> Void) -> Void
    private var nextRead: ContinuousClock.Instant?
    /// Set while a read is due at `nextRead`.
    private var timer: TimerID?
    private var waiting: [(Bool) -> Void] = []
    /// Number of callers that wait, for the next read or one under way.
    private var unanswered = 0

    init(loop: EventLoop, interval: Duration = PacedReads.interval, read: @escaping (@escaping (Bool) -> Void) -> Void) {
        self.loop = loop
        self.interval = interval
        self.read = read
    }

    /// Calls `done` when a read that begins after this call has ended, with whether it succeeded; at once with false if too many
    /// callers wait.
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

    /// Reads at once, also for callers that wait. A failed read is repeated.
    func readNow() {
        if let timer { loop.cancel(timer) }
        timer = nil
        nextRead = .now + interval
        let answered = waiting
        waiting = []
        read { [self] wasRead in
            unanswered -= answered.count
            for done in answered { done(wasRead) }
            // The callers' questions stay open until the store was read.
            if !wasRead { askInTime() }
        }
    }
}
