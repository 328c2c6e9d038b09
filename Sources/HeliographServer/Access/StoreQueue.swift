import Dispatch
import Synchronization
import WebSocketEngine

/// Queries of the store of tokens and workspaces: off the loop, one after the other, bounded in number and time. Confined to the core's
/// thread.
///
/// A database that hangs delays only those who query it, and a caller with many queries only itself.
final class StoreQueue {
    typealias Turns = StoreTurns<() -> Void>

    /// Time after which a caller is answered even if the store has not: the same as for a command over HTTP.
    static let patience = Duration.seconds(10)
    /// Wait for queries under way when the relay ends.
    private static let endingMax = DispatchTimeInterval.seconds(3)

    /// Reason for the lack of a result from the store.
    enum QueueError: Error, Equatable {
        /// Too many queries; nothing was begun.
        case tooMany
        /// The work took too long to begin; nothing was begun, and nothing will be.
        case late
        /// Begun, and not completed in time.
        case unknown
        /// Done, but the relay could not read the tokens afterwards; it keeps trying.
        case notTakenUp

        var notice: String {
            switch self {
            case .tooMany: "too many wait for the relay's store; try again"
            case .late: "the relay's store does not answer; try again"
            case .unknown: "there was no answer in time; it may have been done all the same"
            case .notTakenUp: "it was done, but the relay has not applied it yet"
            }
        }
    }

    private let loop: EventLoop
    private let queue = DispatchQueue(label: "heliograph.credentials")
    private let patience: Duration
    private var turns = Turns()
    /// The store works now.
    private var isBusy = false

    init(loop: EventLoop, patience: Duration = StoreQueue.patience) {
        self.loop = loop
        self.patience = patience
    }

    /// State of one task: whether it has begun, or its caller has given up.
    private final class Turn: Sendable {
        private enum State { case waiting, begun, givenUp }
        private let state = Mutex(State.waiting)

        func begin() -> Bool { advance(to: .begun) }
        func giveUp() -> Bool { advance(to: .givenUp) }

        private func advance(to next: State) -> Bool {
            state.withLock { state in
                guard state == .waiting else { return false }
                state = next
                return true
            }
        }
    }

    /// The caller, which is answered once. Confined to the loop's thread.
    private final class Call<Value> {
        let ended: (Result<Value, any Error>) -> Void
        private var answer: ((Result<Value, any Error>) -> Void)?
        var timer: TimerID?

        init(ended: @escaping (Result<Value, any Error>) -> Void, answer: @escaping (Result<Value, any Error>) -> Void) {
            (self.ended, self.answer) = (ended, answer)
        }

        func answer(_ result: Result<Value, any Error>) {
            let answer = answer
            self.answer = nil
            answer?(result)
        }
    }

    /// `answer` is called once: with the result, or with a `QueueError`. `ended` is called before it if the work ends in time, and later
    /// if it does not; never if there are too many. Both are called in the order in which the work was done.
    func perform<Value: Sendable>(
        _ kind: Turns.Kind, for caller: Turns.Caller, _ work: @escaping @Sendable () throws -> Value,
        ended: @escaping (Result<Value, any Error>) -> Void = { _ in },
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        let (turn, call) = (Turn(), Call(ended: ended, answer: answer))
        let bound = LoopBound((queue: self, call: call), loop: loop)
        let (handle, queue) = (loop.handle, queue)
        let start = {
            queue.async {
                let result = turn.begin() ? Result { try work() } : .failure(QueueError.late)
                handle.execute {
                    let (queue, call) = bound.value
                    queue.isBusy = false
                    queue.startNext()
                    if let timer = call.timer { queue.loop.cancel(timer) }
                    call.ended(result)
                    call.answer(result)
                }
            }
        }
        guard turns.add(start, kind, of: caller) else { return answer(.failure(QueueError.tooMany)) }
        call.timer = loop.schedule(after: patience) {
            call.timer = nil
            call.answer(.failure(turn.giveUp() ? QueueError.late : QueueError.unknown))
        }
        startNext()
    }

    private func startNext() {
        guard !isBusy, let start = turns.takeNext() else { return }
        isBusy = true
        start()
    }

    /// Runs work at the end of the relay, when no loop runs any more. False if it was not done in time; earlier work may also be
    /// unfinished.
    func finish(_ work: @escaping @Sendable () -> Void) -> Bool {
        while let start = turns.takeNext() { start() }
        let isDone = DispatchSemaphore(value: 0)
        queue.async {
            work()
            isDone.signal()
        }
        return isDone.wait(timeout: .now() + Self.endingMax) == .success
    }
}
