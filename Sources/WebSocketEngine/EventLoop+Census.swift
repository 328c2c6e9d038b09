/// What a loop holds, counted.
package struct EngineCensus: Sendable, Equatable {
    package var connections = 0
    /// Not (yet) WebSockets.
    package var pending = 0
    /// Peers that do not read as fast as they are sent to.
    package var congested = 0
    /// What waits to be sent: in all, and to the peer with the most.
    package var waitingBytes = 0
    package var waitingBytesMax = 0
}

extension EventLoop {
    /// Those that something waits for, with how many bytes; in no order.
    package var backlogs: [(connection: ConnectionID, bytes: Int)] {
        preconditionOnLoop()
        return connections.values.compactMap { connection in
            let bytes = connection.outboxBytes + connection.inFlightBytes
            return bytes > 0 && connection.phase == .open ? (connection.id, bytes) : nil
        }
    }

    package var census: EngineCensus {
        preconditionOnLoop()
        return connections.values.reduce(into: EngineCensus()) { census, connection in
            census.connections += 1
            if connection.isPending { census.pending += 1 }
            if connection.isCongested { census.congested += 1 }
            census.waitingBytes += connection.outboxBytes
            census.waitingBytesMax = max(census.waitingBytesMax, connection.outboxBytes)
        }
    }
}
