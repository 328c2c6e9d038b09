import RelayCore
import RelayProtocol
import Synchronization
import WebSocketEngine

/// The gate and the turnstile as every loop asks them, when somebody knocks, comes or goes: never for a message.
final class Door: Sendable {
    private struct State {
        var gate: Gate
        var turnstile: Turnstile
        /// The relay's store cannot be read, or the relay ends.
        var isShut = false
        var isShortOfMemory = false
    }

    private let state: Mutex<State>

    init(_ gate: Gate, _ limits: ServerLimits) {
        state = Mutex(State(gate: gate, turnstile: Turnstile(limits)))
    }

    /// As it is now; nil: nobody is let in.
    var gate: Gate? { state.withLock { $0.isShut ? nil : $0.gate } }

    func change(to gate: Gate) { state.withLock { $0.gate = gate } }
    func shut(_ isShut: Bool) { state.withLock { $0.isShut = isShut } }
    func refuseNew(_ isShortOfMemory: Bool) { state.withLock { $0.isShortOfMemory = isShortOfMemory } }

    // MARK: - How many

    /// See `Turnstile.asked`.
    func asked(_ address: Peer, at now: Int64) -> Int64 { state.withLock { $0.turnstile.asked(address, at: now) } }

    /// `leave` follows, once.
    func enter(_ visitor: Gate.Visitor) throws(Turnstile.Limit) {
        try state.withLock { state throws(Turnstile.Limit) in
            if state.isShortOfMemory { throw .memory }
            try state.turnstile.enter(
                address: visitor.address, token: visitor.token.id, workspace: visitor.token.workspace)
        }
    }

    func leave(_ visitor: Gate.Visitor) {
        state.withLock {
            $0.turnstile.leave(address: visitor.address, token: visitor.token.id, workspace: visitor.token.workspace)
        }
    }
}
