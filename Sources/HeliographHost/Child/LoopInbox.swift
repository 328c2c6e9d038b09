internal import Synchronization

/// What other threads have for a loop: it takes all that is there when `pipe` is readable.
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
