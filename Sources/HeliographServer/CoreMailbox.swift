import RelayCore
import WebSocketEngine

/// Facts for the core, until `RelayRunner` takes them: before other input, and at the end of the turn at the latest. Confined to
/// the core's thread.
///
/// Parts that carry out the core's effects answer here. So they can be created before it, and none of them calls it while it
/// returns effects. Facts do not stay longer than a turn; their number is limited by their sources (`HTTPCommandPeers.countMax`,
/// pushes under way).
final class CoreMailbox {
    private let handle: EventLoopHandle
    private var facts: [Input] = []
    /// True if the core got input in this turn.
    private var hasWork = true

    init(of loop: EventLoop) { handle = loop.handle }

    func put(_ fact: Input) {
        hasWork = true
        facts.append(fact)
        // Wakes the loop: a fact that is added while a turn ends belongs to the next one.
        if facts.count == 1 { handle.execute {} }
    }

    var isEmpty: Bool { facts.isEmpty }

    func take() -> [Input] {
        hasWork = true
        guard !facts.isEmpty else { return [] }
        defer { facts = [] }
        return facts
    }

    /// Ends the turn: `tick` is called if the core got input in it. A process may have many idle cores.
    func endTurn(_ tick: () -> Void) {
        guard hasWork else { return }
        tick()
        hasWork = !facts.isEmpty
    }
}
