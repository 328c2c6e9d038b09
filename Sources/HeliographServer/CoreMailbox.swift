import RelayCore
import WebSocketEngine

/// What happened for the core, until `RelayRunner` takes it: before whatever else it feeds, and at the end of the turn at the latest. Lives
/// on the core's thread.
///
/// Parts that the core orders answer here. So they can be made before it, and none of them calls it while it gives orders. Nothing in
/// it outlives a turn; what one turn can put is bounded where it comes from (`HTTPCommandPeers.countMax`, pushes under way).
final class CoreMailbox {
    private let handle: EventLoopHandle
    private var facts: [Input] = []

    init(of loop: EventLoop) { handle = loop.handle }

    func put(_ fact: Input) {
        facts.append(fact)
        // What is put while a turn ends has another.
        if facts.count == 1 { handle.execute {} }
    }

    func take() -> [Input] {
        guard !facts.isEmpty else { return [] }
        defer { facts = [] }
        return facts
    }
}
