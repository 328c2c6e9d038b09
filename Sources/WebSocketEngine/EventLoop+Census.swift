/// Counts of what a loop holds.
package struct EngineCensus: Sendable, Equatable {
    package var connections = 0
    /// Connections that are not WebSockets yet, or never.
    package var pending = 0
    /// Peers that read more slowly than they are sent to.
    package var congested = 0
    /// Unsent bytes: of all connections together, and of the one with the most.
    package var waitingBytes = 0
    package var waitingBytesMax = 0

    mutating func add(_ other: EngineCensus) {
        connections += other.connections
        pending += other.pending
        congested += other.congested
        waitingBytes += other.waitingBytes
        waitingBytesMax = max(waitingBytesMax, other.waitingBytesMax)
    }
}

extension EventLoop {
    /// Connections with bytes that wait to be sent, in no order.
    package var backlogs: [(connection: ConnectionID, bytes: Int)] {
        preconditionOnLoop()
        return connections.values.compactMap { connection in
            let bytes = outboxBytes(of: connection)
            return bytes > 0 && connection.phase == .open ? (connection.id, bytes) : nil
        }
    }

    package var census: EngineCensus {
        preconditionOnLoop()
        return connections.values.reduce(into: EngineCensus()) { census, connection in
            census.connections += 1
            if connection.isPending { census.pending += 1 }
            if connection.isCongested { census.congested += 1 }
            let waiting = outboxBytes(of: connection)
            census.waitingBytes += waiting
            census.waitingBytesMax = max(census.waitingBytesMax, waiting)
        }
    }
}
