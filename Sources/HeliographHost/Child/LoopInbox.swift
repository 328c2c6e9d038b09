internal import Synchronization

/// Input of other threads for a loop, which reads all of it when `pipe` is readable.
final class LoopInbox<Element: Sendable>: Sendable {
    let pipe: WakePipe
    private let items = Mutex<[Element]>([])

    init() throws { pipe = try WakePipe() }

    func put(_ item: Element) {
        items.withLock { $0.append(item) }
        pipe.wake()
    }

    func take() -> [Element] {
        pipe.drain()
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
