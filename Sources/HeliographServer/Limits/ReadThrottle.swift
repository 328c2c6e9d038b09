import WebSocketEngine

/// Connections that are read no further for a while. What they send stays with them, so nothing of it is lost. Lives on the core's
/// thread.
final class ReadThrottle {
    private let loop: EventLoop
    private let connections: PeerConnections
    /// Connections that are not read until a time.
    private var slowed: [ConnectionID: (timer: TimerID, until: MonotonicTime)] = [:]
    private var paused: [Reason: Set<ConnectionID>] = [:]

    enum Reason {
        /// Held until the disk has written half of what waits.
        case disk
        /// Held until the batch that is being gathered has been cut.
        case batch
        /// Until all others who wait were served.
        case turn
        /// Until its part of what waits on its edge's link has become small.
        case share
    }

    init(loop: EventLoop, connections: PeerConnections) { (self.loop, self.connections) = (loop, connections) }

    /// If the connection is slowed already, the longer wait counts.
    func slow(_ connection: ConnectionID, forNanoseconds wait: Int64) {
        let wait = min(wait, ServerLimits.pauseNanosecondsMax)
        let until = MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + wait)
        if let (timer, other) = slowed[connection] {
            guard until > other else { return }
            loop.cancel(timer)
        }
        connections.pauseReading(connection)
        let timer = loop.schedule(after: .nanoseconds(wait)) { [weak self] in
            self?.slowed[connection] = nil
            self?.resume(connection)
        }
        slowed[connection] = (timer, until)
    }

    /// Returns whether it was not paused already.
    func pause(_ connection: ConnectionID, for reason: Reason) -> Bool {
        connections.pauseReading(connection)
        return paused[reason, default: []].insert(connection).inserted
    }

    func isPausing(for reason: Reason) -> Bool { paused[reason] != nil }

    func resume(for reason: Reason) {
        guard let connections = paused.removeValue(forKey: reason) else { return }
        for connection in connections { resume(connection) }
    }

    func resume(_ connection: ConnectionID, from reason: Reason) {
        guard paused[reason]?.remove(connection) != nil else { return }
        if paused[reason]?.isEmpty == true { paused[reason] = nil }
        resume(connection)
    }

    /// The connection is gone.
    func forget(_ connection: ConnectionID) {
        for reason in paused.keys { paused[reason]?.remove(connection) }
        if let (timer, _) = slowed.removeValue(forKey: connection) { loop.cancel(timer) }
    }

    private func resume(_ connection: ConnectionID) {
        guard slowed[connection] == nil, !paused.values.contains(where: { $0.contains(connection) }) else { return }
        connections.resumeReading(connection)
    }
}
