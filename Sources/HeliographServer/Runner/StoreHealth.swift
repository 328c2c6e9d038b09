import Logging
import RelayCore
import WebSocketEngine

/// Tracks whether the store accepts hosts' events, and when it does again. Confined to the loop's thread.
final class StoreHealth {
    /// True if the store refused the last batch. Hosts then keep their events until it accepts batches again.
    private(set) var isFailing = false
    /// True if the disk is full, and its reserve is only for decisions: hosts then keep their events.
    private(set) var isShortOfRoom = false
    /// Size of the refused batch; nil if there is none to try again.
    private var refusedBytes: Int?
    /// Time at which the batch under way was passed to the store; nil: none is.
    private var begun: ContinuousClock.Instant?
    /// Counts the times at which the store's content became unknown: results from before are ignored.
    private var life = 0
    private var timer: TimerID?
    /// This object, for closures that run on other threads; nil until `start`.
    private var bound: LoopBound<StoreHealth>?

    private let upkeep: any StoreUpkeep
    private let commits: CommitQueue
    private let loop: EventLoop
    private let logger: Logger

    /// False if batches are refused, as far as known.
    var takesWrites: Bool { !isFailing && !isStuck(at: .now) }

    /// True if the batch under way takes so long that something blocks it: a lock, or a missing standby.
    func isStuck(at now: ContinuousClock.Instant) -> Bool { begun.map { now - $0 >= Self.commitMax } ?? false }

    /// Longest normal time of a commit: it takes milliseconds, and on a crowded disk a second. The same as the wait of a data file
    /// for another writer.
    static let commitMax = Duration.seconds(10)
    /// Bytes that a batch writes in addition to its events: pages of the tables and of the audit log.
    private static let roomOfBatch = 64 << 10
    /// Interval of attempts while writes are refused; shorter than a host's wait before it sends again.
    private static let shortInterval = Duration.seconds(2)
    /// Interval without known problems, as a command may have left a revocation that waits for space.
    private static let interval = Duration.seconds(30)

    init(_ upkeep: any StoreUpkeep, _ commits: CommitQueue, _ loop: EventLoop, _ logger: Logger) {
        self.upkeep = upkeep
        self.commits = commits
        self.loop = loop
        self.logger = logger
    }

    func start() {
        bound = LoopBound(self, loop: loop)
        if upkeep.isShortOfRoom { runShort() } else { lookLater() }
    }

    // MARK: - What became of a batch

    func batchBegun(at now: ContinuousClock.Instant = .now) { begun = now }

    func batchCommitted() { isFailing = false }

    func batchRefused(bytes: Int) {
        isFailing = true
        refusedBytes = bytes
        lookLater()
    }

    /// A batch has ended, in whatever way. Any batch may have released the reserve.
    func batchEnded() {
        begun = nil
        if upkeep.isShortOfRoom, !isShortOfRoom { runShort() }
    }

    /// The store's content is unknown, until it has been loaded again.
    func givenUp() {
        isFailing = true
        refusedBytes = nil
        life += 1
    }

    /// The store was loaded again. It may still refuse writes.
    func readAnew() {
        refusedBytes = 0
        look()
    }

    /// Stops the checks for good.
    func stop() {
        if let timer { loop.cancel(timer) }
        (timer, bound) = (nil, nil)
    }

    // MARK: - Looking for room

    private func runShort() {
        isShortOfRoom = true
        logger.error("the disk is full: events wait at their hosts, what was kept of it is for decisions")
        lookLater()
    }

    /// Schedules the next check, even without known problems: a disk that was crowded at the start may have space by now.
    private func lookLater() {
        guard bound != nil else { return }
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: isShortOfRoom || isFailing ? Self.shortInterval : Self.interval) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        guard let bound else { preconditionFailure("timers come after the start") }
        if let timer { loop.cancel(timer) }
        timer = nil
        let (upkeep, handle, life) = (upkeep, loop.handle, life)
        let needed = isFailing ? refusedBytes.map { 2 * $0 + Self.roomOfBatch } : nil
        commits.after {
            let isKept = upkeep.keepRoom()
            let takesAgain = needed.map { upkeep.wouldTake(bytes: $0) } ?? false
            handle.execute { bound.value.looked(isKept, takesAgain: takesAgain && bound.value.life == life) }
        }
    }

    private func looked(_ isKept: Bool, takesAgain: Bool) {
        if takesAgain, isFailing {
            isFailing = false
            logger.notice("the store takes what is written again")
        }
        // A commit may have released the reserve again meanwhile.
        if isKept, isShortOfRoom, !upkeep.isShortOfRoom {
            isShortOfRoom = false
            logger.notice("there is room on the disk again")
        }
        lookLater()
    }
}
