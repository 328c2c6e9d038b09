import Logging
import RelayCore
import WebSocketEngine

/// Whether the store takes what hosts send, and when it does again. Lives on the loop's thread.
final class StoreHealth {
    /// The store refused the last batch. Hosts' events wait with them until it takes something again.
    private(set) var isFailing = false
    /// The disk is full, and what was kept on it is for decisions: what hosts send waits with them.
    private(set) var isShortOfRoom = false
    /// What the refused batch had; nil where nothing is to be tried.
    private var refusedBytes: Int?
    /// Counts the times that the store was given up on: what was found out before is not for this one.
    private var life = 0
    private var timer: TimerID?
    /// Nil until `start`.
    private var bound: LoopBound<StoreHealth>?

    private let upkeep: any StoreUpkeep
    private let commits: CommitQueue
    private let loop: EventLoop
    private let logger: Logger

    /// What a batch writes in addition to its events: pages of the tables and of the audit log.
    private static let roomOfBatch = 64 << 10
    /// Less than a host waits before it sends again.
    private static let shortInterval = Duration.seconds(2)
    /// Where all seems well. A revocation may wait for room, put there by a command.
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

    func batchCommitted() { isFailing = false }

    func batchRefused(bytes: Int) {
        isFailing = true
        refusedBytes = bytes
        lookLater()
    }

    /// Any batch may have given up what was kept.
    func batchEnded() { if upkeep.isShortOfRoom, !isShortOfRoom { runShort() } }

    /// Nobody can say what it holds, until it has been read again.
    func givenUp() {
        isFailing = true
        refusedBytes = nil
        life += 1
    }

    func readAnew() { isFailing = false }

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

    /// Also where all is well: a disk that was crowded at the start may have room by now.
    private func lookLater() {
        guard bound != nil else { return }
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: isShortOfRoom || isFailing ? Self.shortInterval : Self.interval) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        guard let bound else { preconditionFailure("timers come after the start") }
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
        // By now a commit may have given it up again.
        if isKept, isShortOfRoom, !upkeep.isShortOfRoom {
            isShortOfRoom = false
            logger.notice("there is room on the disk again")
        }
        lookLater()
    }
}
