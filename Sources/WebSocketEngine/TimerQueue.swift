/// A binary heap of one-shot timers. Cancelled ones stay in it until they are due, so that cancelling is one look-up.
struct TimerQueue {
    private struct Entry {
        var due: MonotonicTime
        var id: UInt64
    }

    private var heap: [Entry] = []
    private var bodies: [UInt64: () -> Void] = [:]

    /// Time of the first entry; nil if nothing is armed.
    var earliest: MonotonicTime? { heap.first?.due }

    mutating func add(_ id: UInt64, due: MonotonicTime, _ body: @escaping () -> Void) {
        bodies[id] = body
        heap.append(Entry(due: due, id: id))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard Self.precedes(heap[child], heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func cancel(_ id: UInt64) {
        bodies[id] = nil
        // Keeps a loop that arms and cancels from growing the heap without bound.
        if heap.count > 64, heap.count > 2 * bodies.count { compact() }
    }

    /// Removes and returns the next body that is due; nil if there is none.
    mutating func popDue(at now: MonotonicTime) -> (() -> Void)? {
        while let first = heap.first, first.due <= now {
            removeFirst()
            if let body = bodies.removeValue(forKey: first.id) { return body }
        }
        return nil
    }

    private mutating func compact() {
        let live = heap.filter { bodies[$0.id] != nil }
        // A sorted array is a heap.
        heap = live.sorted(by: Self.precedes)
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
            guard Self.precedes(heap[child], heap[parent]) else { break }
            heap.swapAt(child, parent)
            parent = child
        }
    }

    /// Of two with the same time, the one armed first precedes.
    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.due == right.due ? left.id < right.id : left.due < right.due
    }
}
