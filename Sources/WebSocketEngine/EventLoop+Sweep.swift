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
        if connection.phase == .http, case .server(let listener) = connection.role,
            !connection.hasAsked || connection.incomingRequest != nil
        {
            noteTurnedAway(from: listener, .handshake)
        }
        let reason: CloseReason =
            connection.phase == .closing ? .failed("the close handshake did not finish in time") : .timedOut
        end(connection, reason)
    }

    /// A slow peer cannot answer a ping that waits behind what it is still reading. As long as it acknowledges some of that, it
    /// lives; a process that was stopped acknowledges no more once its buffer is full.
    private func isStillReading(_ connection: Connection, _ now: MonotonicTime) -> Bool {
        guard let wsi = unsafe connection.socket else { return false }
        let acknowledged = unsafe clws_acknowledged_behind_backlog(lws_get_socket_fd(wsi))
        guard acknowledged > connection.acknowledgedBytes else { return false }
        connection.acknowledgedBytes = acknowledged
        connection.lastHeard = now
        return true
    }

    private func judgeLiveness(of connection: Connection, _ now: MonotonicTime) {
        let liveness = connection.liveness
        if now.nanoseconds - connection.lastHeard.nanoseconds >= liveness.hangUpNanoseconds {
            guard isStillReading(connection, now) else { return end(connection, .timedOut) }
        }
        guard now.nanoseconds - connection.lastHeard.nanoseconds >= liveness.pingNanoseconds,
            now.nanoseconds - connection.lastPinged.nanoseconds >= liveness.pingNanoseconds,
            let wsi = unsafe connection.socket
        else { return }
        connection.lastPinged = now
        connection.acknowledgedBytes = unsafe clws_acknowledged_behind_backlog(lws_get_socket_fd(wsi))
        if unsafe lws_partial_buffered(wsi) == 0 {
            if unsafe !ping(wsi) { failed(connection, "cannot write") }
        } else {
            connection.isPingDue = true
        }
    }
}
