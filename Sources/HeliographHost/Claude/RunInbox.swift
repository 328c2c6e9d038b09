internal import RelayProtocol
internal import Synchronization

/// What other threads have for the loop of `heliograph run`.
final class RunInbox: Sendable {
    enum Item: Sendable {
        case steered(SteeringRequest)
        /// A signal that somebody sent us.
        case signal(Int32)
        case ended(AgentEnd)
        /// The daemon is there, or away.
        case daemon(isThere: Bool)
    }

    let pipe: WakePipe
    private let items = Mutex<[Item]>([])

    init() throws { pipe = try WakePipe() }

    func put(_ item: Item) {
        items.withLock { $0.append(item) }
        pipe.wake()
    }

    func take() -> [Item] {
        pipe.drain()
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
