internal import AgentACP
internal import Synchronization

/// What other threads have for the loop.
final class ACPInbox: Sendable {
    enum Item: Sendable {
        case fact(ACPFact)
        /// A signal that somebody sent us, for the agent.
        case signal(Int32)
        case ended(AgentEnd)
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
