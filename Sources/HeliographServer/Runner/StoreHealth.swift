import Logging
import RelayCore
import WebSocketEngine

/// Tracks if the store takes hosts' events, and when it does again. Confined to the loop's thread.
final class StoreHealth {
    /// The store refused the last batch. Hosts' events wait with them until it takes something again.
    private(set) var isFailing = false
    /// The disk is full, and what was kept on it is for decisions: what hosts send waits with them.
    private(set) var isShortOfRoom = false
    /// Size of the refused batch; nil if nothing is to be tried.
    private var refusedBytes: Int?
    /// Time at which the batch under way was handed to the store; nil: none is.
    private var begun: ContinuousClock.Instant?
    /// Counts the times that the store was given up on: what was found out before is not for this one.
    private var life = 0
    private var timer: TimerID?
    /// Nil until `start`.
    private var bound: LoopBound<StoreHealth>?

    private let upkeep: any StoreUpkeep
    private let commits: CommitQueue
    private let loop: EventLoop
    private let logger: Logger

    /// False if batches are refused, as far as is known.
    var takesWrites: Bool { !isFailing && !isStuck(at: .now) }

    /// True if the batch under way takes so long that something is in its way: a lock, a standby that is away.
    func isStuck(at now: ContinuousClock.Instant) -> Bool { begun.map { now - $0 >= Self.commitMax } ?? false }

    /// A commit takes milliseconds, and on a crowded disk a second. As long as a data file waits for another writer.
    static let commitMax = Duration.seconds(10)
    /// Bytes that a batch writes in addition to its events: pages of the tables and of the audit log.
    private static let roomOfBatch = 64 << 10
    /// Less than a host waits before it sends again.
    private static let shortInterval = Duration.seconds(2)
    /// Without known problems. A revocation may wait for room, put there by a command.
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

    /// In whatever way. Any batch may have given up what was kept.
    func batchEnded() {
        begun = nil
        if upkeep.isShortOfRoom, !isShortOfRoom { runShort() }
    }

    /// The store's content is unknown, until it has been read again.
    func givenUp() {
        isFailing = true
        refusedBytes = nil
        life += 1
    }

    /// A store that can be read can perhaps not be written yet.
    func readAnew() {
        refusedBytes = 0
        look()
    }

    /// For good.
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

    /// Repeats even if all is well: a disk that was crowded at the start may have room by now.
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
        // A commit may have given the reserve up again meanwhile.
        if isKept, isShortOfRoom, !upkeep.isShortOfRoom {
            isShortOfRoom = false
            logger.notice("there is room on the disk again")
        }
        lookLater()
    }
}
