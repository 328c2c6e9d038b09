import Logging
import RelayCore
import WebSocketEngine

/// Time and address of each token's last use: in memory at once, on disk later, so that no request waits for the disk. Confined to
/// the core's thread.
final class TokenUses {
    /// Shortest interval between writes; also the span of uses that are lost if the relay is killed.
    static let interval = Duration.seconds(30)

    /// Last uses since the start, by token.
    private(set) var latest: [String: TokenUse] = [:]
    private var unwritten: Set<String> = []
    private var isScheduled = false
    private let store: any CredentialStore
    private let loop: EventLoop
    private let queue: StoreQueue
    private let logger: Logger

    init(store: any CredentialStore, loop: EventLoop, queue: StoreQueue, logger: Logger) {
        self.store = store
        self.loop = loop
        self.queue = queue
        self.logger = logger
    }

    func note(_ token: Token, from peer: Peer) {
        let address: String? = if case .ip(let address) = peer { address } else { nil }
        latest[token.id] = TokenUse(at: WallClock.milliseconds, from: address)
        unwritten.insert(token.id)
        guard !isScheduled else { return }
        isScheduled = true
        _ = loop.schedule(after: Self.interval) { [weak self] in
            self?.isScheduled = false
            self?.write()
        }
    }

    /// Starts writing uses that are not in the store yet.
    private func write() {
        let uses = takeUnwritten()
        guard !uses.isEmpty else { return }
        let store = store
        queue.perform(.change, for: .relay) {
            try store.noteUses(uses)
        } then: { [weak self, logger] result in
            guard case .failure(let error) = result else { return }
            Self.couldNotNote(error, logger)
            self?.unwritten.formUnion(uses.keys)
        }
    }

    private func takeUnwritten() -> [String: TokenUse] {
        defer { unwritten = [] }
        return latest.filter { unwritten.contains($0.key) }
    }

    /// A full disk, for one: they are written with the next use.
    private static func couldNotNote(_ error: any Error, _ logger: Logger) {
        logger.warning("when tokens were last used could not be noted", metadata: ["error": "\(error)"])
    }

    /// Called at the end: waits until uses are written, or the store has taken too long.
    func finish() {
        let (uses, store, logger) = (takeUnwritten(), store, logger)
        let isDone = queue.finish {
            guard !uses.isEmpty else { return }
            do { try store.noteUses(uses) } catch { Self.couldNotNote(error, logger) }
        }
        if !isDone { Self.couldNotNote(StoreQueue.QueueError.unknown, logger) }
    }
}
