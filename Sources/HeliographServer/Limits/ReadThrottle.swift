import WebSocketEngine

/// Connections that are not read for a while. Their peers keep what they have not sent, so nothing is lost. Confined to the core's
/// thread.
final class ReadThrottle {
    private let loop: EventLoop
    private let connections: PeerConnections
    /// Connections that are not read until a time.
    private var slowed: [ConnectionID: (timer: TimerID, until: MonotonicTime)] = [:]
    private var paused: [Reason: Set<ConnectionID>] = [:]

    enum Reason {
        /// Until the disk has written half of what waits.
        case disk
        /// Until the batch that is being collected has been cut.
        case batch
        /// Until all other waiting peers were served.
        case turn
        /// Until its share of the bytes on its edge's link is small again.
        case share
    }

    init(loop: EventLoop, connections: PeerConnections) { (self.loop, self.connections) = (loop, connections) }

    /// Pauses for a time. If the connection is paused for a time already, the later end counts.
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

    /// Returns false if it was already paused for this reason.
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

    func forget(_ connection: ConnectionID) {
        for reason in paused.keys { paused[reason]?.remove(connection) }
        if let (timer, _) = slowed.removeValue(forKey: connection) { loop.cancel(timer) }
    }

    private func resume(_ connection: ConnectionID) {
        guard slowed[connection] == nil, !paused.values.contains(where: { $0.contains(connection) }) else { return }
        connections.resumeReading(connection)
    }
}
