import Dispatch
import Synchronization
import WebSocketEngine

/// Queries of the store of tokens and workspaces: off the loop, one after the other, bounded in number and time. Confined to the core's
/// thread.
///
/// A database that hangs delays only those who query it.
final class StoreQueue {
    /// Asked for and not ended. A crowd that pairs at once; each holds a request.
    static let waitingMax = 32
    /// A caller is answered after this long, whatever the store does: as for a command over HTTP.
    static let patience = Duration.seconds(10)
    /// For what is under way when the relay ends.
    private static let endingMax = DispatchTimeInterval.seconds(3)

    /// Why there is no answer of the store's.
    enum QueueError: Error, Equatable {
        /// Nothing was begun.
        case tooMany
        /// Nothing was begun, and will not be.
        case late
        /// Begun, and not ended.
        case unknown
        /// Done, but the relay could not read the tokens afterwards; it goes on trying.
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
    private(set) var waiting = 0

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

    /// The caller that is answered, once. Lives on the loop's thread.
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
    ///
    /// Only work that its caller never submits twice at once is not `counted`.
    func perform<Value: Sendable>(
        counted isCounted: Bool = true, _ work: @escaping @Sendable () throws -> Value,
        ended: @escaping (Result<Value, any Error>) -> Void = { _ in },
        then answer: @escaping (Result<Value, any Error>) -> Void
    ) {
        guard !isCounted || waiting < Self.waitingMax else { return answer(.failure(QueueError.tooMany)) }
        waiting += 1
        let (turn, call) = (Turn(), Call(ended: ended, answer: answer))
        call.timer = loop.schedule(after: patience) {
            call.timer = nil
            call.answer(.failure(turn.giveUp() ? QueueError.late : QueueError.unknown))
        }
        let (handle, bound) = (loop.handle, LoopBound((queue: self, call: call), loop: loop))
        queue.async {
            let result = turn.begin() ? Result { try work() } : .failure(QueueError.late)
            handle.execute {
                let (queue, call) = bound.value
                queue.waiting -= 1
                if let timer = call.timer { queue.loop.cancel(timer) }
                call.ended(result)
                call.answer(result)
            }
        }
    }

    /// For the end, when no loop answers any more. False if the store has not done it in time, nor perhaps earlier work.
    func finish(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        queue.async {
            work()
            isDone.signal()
        }
        return isDone.wait(timeout: .now() + Self.endingMax) == .success
    }
}
