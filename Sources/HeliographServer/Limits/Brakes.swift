import WebSocketEngine

/// Connections that are read no further for a while. What they send stays with them, so nothing of it is lost. Lives on the loop's
/// thread.
final class Brakes {
    private let loop: EventLoop
    /// Until a time.
    private var slowed: [ConnectionID: TimerID] = [:]
    /// Until the disk has taken what was read.
    private var held: Set<ConnectionID> = []

    init(loop: EventLoop) { self.loop = loop }

    func slow(_ connection: ConnectionID, for wait: Duration) {
        if let timer = slowed[connection] { loop.cancel(timer) }
        loop.pauseReading(connection)
        slowed[connection] = loop.schedule(after: min(wait, ServerLimits.pauseMax)) { [weak self] in
            self?.slowed[connection] = nil
            self?.resume(connection)
        }
    }

    /// Returns whether it was not held already.
    func hold(_ connection: ConnectionID) -> Bool {
        loop.pauseReading(connection)
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
        if let timer = slowed.removeValue(forKey: connection) { loop.cancel(timer) }
    }

    private func resume(_ connection: ConnectionID) {
        if slowed[connection] == nil, !held.contains(connection) { loop.resumeReading(connection) }
    }
}
