internal import Synchronization

/// Queue of orders from the main loop of a group to another. Confined to the main loop's thread, except for `waiting`.
final class LoopLane {
    /// Unwritten messages from which a loop gets no more for now.
    private static let manyWrites = 64

    let thread: LoopThread
    /// Orders of the main loop's current turn.
    var gathered = LoopOrders()
    private let waiting: Waiting
    /// Made once, because every batch needs it.
    private let carryOut: @Sendable (EventLoop) -> Void

    private final class Waiting: Sendable {
        struct State {
            var orders = LoopOrders()
            /// True if the main loop delays its tick until these are taken.
            var isAwaited = false
        }

        let state = Mutex(State())
    }

    init(to thread: LoopThread, from main: EventLoopHandle) {
        self.thread = thread
        let waiting = Waiting()
        self.waiting = waiting
        carryOut = { loop in
            let taken = waiting.state.withLock { state in
                defer { state = Waiting.State() }
                return state
            }
            if taken.isAwaited { main.execute {} }
            loop.carryOut(taken.orders)
        }
    }

    /// True if the loop has not begun with its last orders; the main loop then gets a turn when it does.
    func isBehind() -> Bool {
        waiting.state.withLock { state in
            guard state.orders.recipients.count >= Self.manyWrites else { return false }
            state.isAwaited = true
            return true
        }
    }

    func handOver() {
        guard !gathered.isEmpty else { return }
        gathered.seal()
        let orders = gathered
        gathered = LoopOrders()
        let wasEmpty = waiting.state.withLock { state in
            defer { state.orders.append(orders) }
            return state.orders.isEmpty
        }
        if wasEmpty { thread.handOver(carryOut) }
    }
}
