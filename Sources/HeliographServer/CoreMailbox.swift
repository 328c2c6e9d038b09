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
    /// The core was told something in this turn.
    private var hasWork = true

    init(of loop: EventLoop) { handle = loop.handle }

    func put(_ fact: Input) {
        hasWork = true
        facts.append(fact)
        // What is put while a turn ends has another.
        if facts.count == 1 { handle.execute {} }
    }

    var isEmpty: Bool { facts.isEmpty }

    func take() -> [Input] {
        hasWork = true
        guard !facts.isEmpty else { return [] }
        defer { facts = [] }
        return facts
    }

    /// The turn is over: `tick` is called where the core was told something in it. A process may have many cores with nothing to do.
    func endTurn(_ tick: () -> Void) {
        guard hasWork else { return }
        tick()
        hasWork = !facts.isEmpty
    }
}
