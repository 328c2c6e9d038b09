internal import CLibwebsockets

/// Deadlines and liveness of all connections, looked at together.
extension EventLoop {
    /// Runs while there are connections.
    func keepSweeping() {
        guard !isSweeping else { return }
        isSweeping = true
        armTimer(after: Self.sweepInterval) { [weak self] in
            guard let self else { return }
            isSweeping = false
            sweep(.now)
            if !connections.isEmpty { keepSweeping() }
        }
    }

    private func sweep(_ now: MonotonicTime) {
        // Nothing is removed here: `end` only marks, and libwebsockets closes on its next turn.
        for connection in connections.values {
            if let deadline = connection.deadline, deadline <= now {
                deadlinePassed(connection)
            } else if connection.phase == .open, !connection.isReadingPaused {
                judgeLiveness(of: connection, now)
            }
        }
    }

    private func deadlinePassed(_ connection: Connection) {
        let reason: CloseReason =
            connection.phase == .closing ? .failed("the close handshake did not finish in time") : .timedOut
        end(connection, reason)
    }

    private func judgeLiveness(of connection: Connection, _ now: MonotonicTime) {
        let liveness = connection.liveness
        if connection.lastHeard + liveness.hangUpAfter <= now { return end(connection, .timedOut) }
        guard connection.lastHeard + liveness.pingAfter <= now, connection.lastPinged + liveness.pingAfter <= now,
            let wsi = unsafe connection.socket
        else { return }
        connection.lastPinged = now
        if unsafe lws_partial_buffered(wsi) == 0 {
            if unsafe !ping(wsi) { failed(connection, "cannot write") }
        } else {
            connection.isPingDue = true
        }
    }
}
