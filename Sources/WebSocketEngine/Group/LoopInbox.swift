internal import Synchronization

/// Input for the main loop from a group's other loops: a batch for each loop and turn, in order. One lock and at most one wake-up
/// for each batch.
package final class LoopInbox<Item: Sendable>: Sendable {
    /// Bytes that may wait for the main loop. Above it, connections with more input are not read until the main loop has taken
    /// this, so that their peers are slowed down as with a single loop.
    package static var bytesMax: Int { 8 << 20 }

    private struct State {
        var items: [Item] = []
        var bytes = 0
        /// The loops that have stopped reading because of this.
        var full: [(handle: EventLoopHandle, loop: LoopBound<EventLoop>)] = []
    }

    private let state = Mutex(State())
    private let main: EventLoopHandle
    private let take: LoopBound<([Item]) -> Void>

    /// To be called on the main loop's thread, where `take` is called, too.
    package init(of main: EventLoop, take: @escaping ([Item]) -> Void) {
        self.main = main.handle
        self.take = LoopBound(take, loop: main)
    }

    /// Takes the items, leaving the array empty; they count as `bytes`. To be called on the thread of `loop`.
    package func post(_ items: inout [Item], bytes: Int, from loop: EventLoop) {
        guard !items.isEmpty else { return }
        let posted = items
        items = []
        let sender = (handle: loop.handle, loop: LoopBound(loop, loop: loop))
        let (wasEmpty, isFull) = state.withLock { state in
            let wasEmpty = state.items.isEmpty
            if wasEmpty { state.items = posted } else { state.items += posted }
            state.bytes += bytes
            let isFull = state.bytes > Self.bytesMax
            if isFull { state.full.append(sender) }
            return (wasEmpty, isFull)
        }
        if isFull { loop.appliesBackpressure = true }
        if wasEmpty { main.execute { self.takeAll() } }
    }

    private func takeAll() {
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        take.value(taken.items)
        for (handle, loop) in taken.full { handle.execute { loop.value.letGo() } }
    }
}
