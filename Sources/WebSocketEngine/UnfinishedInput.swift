/// Counts of a loop's incomplete messages and bodies.
struct UnfinishedInput {
    fileprivate(set) var bytes = 0
    /// True once the limit is exceeded; the connections with the most are closed at the end of the turn.
    fileprivate var isTooMuch = false
}

/// Limits of incomplete input: each message and body has its own limit; this bounds the total, and the time that a message may
/// take.
extension EventLoop {
    /// Applies to servers only: a client's messages come from the server that it chose, at any speed.
    func beganMessage(on connection: Connection, at now: MonotonicTime) {
        guard connection.messageBegan == nil, !connection.isClient else { return }
        connection.messageBegan = now
        watch(connection, at: now + connection.limits.messageDeadline)
    }

    func countUnfinished(of connection: Connection) {
        let held = connection.unfinishedBytes
        guard held != connection.countedUnfinishedBytes else { return }
        unfinished.bytes += held - connection.countedUnfinishedBytes
        connection.countedUnfinishedBytes = held
        guard unfinished.bytes > connection.limits.unfinishedBytesMax, !unfinished.isTooMuch, let listener = connection.listener
        else { return }
        unfinished.isTooMuch = true
        runLater { [weak self] in self?.closeUnfinished(downTo: listener.configuration.limits.unfinishedBytesMax / 2) }
    }

    /// Closes the peers with the most incomplete input over all their connections first, so that others are not affected by them.
    private func closeUnfinished(downTo bytes: Int) {
        unfinished.isTooMuch = false
        let holding = connections.values.filter { $0.countedUnfinishedBytes > 0 && !$0.isClient }
        let holders = Dictionary(grouping: holding) { Holder(name: $0.listener?.handler.holder(of: $0.id), peer: $0.peer) }
        let ranked = holders.values.map { (bytes: $0.reduce(0) { $0 + $1.countedUnfinishedBytes }, connections: $0) }
        for (_, connections) in ranked.sorted(by: { $0.bytes > $1.bytes }) {
            for connection in connections.sorted(by: { $0.countedUnfinishedBytes > $1.countedUnfinishedBytes }) {
                guard unfinished.bytes > bytes else { return }
                closeUnfinished(connection)
            }
        }
    }

    private func closeUnfinished(_ connection: Connection) {
        guard let listener = connection.listener else { return }
        noteTurnedAway(from: listener, .unfinished)
        guard connection.phase == .open else { return end(connection, .timedOut) }
        let wait = Int.random(in: 1...connection.limits.retryAfterSecondsMax)
        violated(
            connection, code: connection.limits.unfinishedCloseCode,
            "too much was begun and not finished: come back in \(wait) s with your position")
    }

    private struct Holder: Hashable {
        let name: String?
        let peer: Peer?

        init(name: String?, peer: Peer) {
            self.name = name
            self.peer = name == nil ? peer : nil
        }
    }
}
