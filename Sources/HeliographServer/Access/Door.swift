import Synchronization

/// The gate as every loop asks it, when somebody comes: never for a message.
final class Door: Sendable {
    private struct State {
        var gate: Gate
        /// The relay's store cannot be read, or the relay ends.
        var isShut = false
    }

    private let state: Mutex<State>

    init(_ gate: Gate) { state = Mutex(State(gate: gate)) }

    /// As it is now; nil: nobody is let in.
    var gate: Gate? { state.withLock { $0.isShut ? nil : $0.gate } }

    func change(to gate: Gate) { state.withLock { $0.gate = gate } }
    func shut(_ isShut: Bool) { state.withLock { $0.isShut = isShut } }
}
