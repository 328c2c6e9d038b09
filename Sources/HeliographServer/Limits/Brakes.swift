import WebSocketEngine

/// Connections that are read no further for a while. What they send stays with them, so nothing of it is lost. Lives on the core's
/// thread.
final class Brakes {
    private let loops: EventLoopGroup
    /// Until a time.
    private var slowed: [ConnectionID: TimerID] = [:]
    /// Until the disk has taken what was read.
    private var held: Set<ConnectionID> = []

    init(loops: EventLoopGroup) { self.loops = loops }

    func slow(_ connection: ConnectionID, for wait: Duration) {
        if let timer = slowed[connection] { loops.main.cancel(timer) }
        loops.pauseReading(connection)
        slowed[connection] = loops.main.schedule(after: min(wait, ServerLimits.pauseMax)) { [weak self] in
            self?.slowed[connection] = nil
            self?.resume(connection)
        }
    }

    /// Returns whether it was not held already.
    func hold(_ connection: ConnectionID) -> Bool {
        loops.pauseReading(connection)
        return held.insert(connection).inserted
    }

    func releaseHeld() {
        guard !held.isEmpty else { return }
        let connections = held
        held = []
        for connection in connections { resume(connection) }
    }

    /// It is gone.
    func forget(_ connection: ConnectionID) {
        held.remove(connection)
        if let timer = slowed.removeValue(forKey: connection) { loops.main.cancel(timer) }
    }

    private func resume(_ connection: ConnectionID) {
        if slowed[connection] == nil, !held.contains(connection) { loops.resumeReading(connection) }
    }
}
