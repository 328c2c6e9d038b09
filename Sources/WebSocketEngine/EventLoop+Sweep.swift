internal import CHeliographLibwebsockets

/// Deadlines and liveness of all connections: each is checked when something may be due for it. An idle one costs a check and a
/// ping for each `Liveness.pingAfter`, and nothing in between.
extension EventLoop {
    func setDeadline(of connection: Connection, after duration: Duration) {
        let deadline = MonotonicTime.now + duration
        connection.deadline = deadline
        watch(connection, at: deadline)
    }

    /// Schedules a check. An earlier one stays, and will find out when the next is due.
    func watch(_ connection: Connection, at time: MonotonicTime) {
        let step = DueTable.step(of: time)
        guard step < connection.dueStep else { return }
        connection.dueStep = step
        due.add(connection.id.rawValue, at: step)
        armSweep()
    }

    private func armSweep() {
        guard due.earliest < sweepStep else { return }
        if let sweepTimer { cancel(sweepTimer) }
        sweepStep = due.earliest
        sweepTimer = armTimer(at: DueTable.time(of: sweepStep)) { [weak self] in self?.sweep(.now) }
    }

    private func sweep(_ now: MonotonicTime) {
        sweepTimer = nil
        while let (step, ids) = due.take(at: now) {
            for id in ids {
                // A connection that was scheduled again is checked then; one that is gone is skipped.
                guard let connection = connections[id], connection.dueStep == step else { continue }
                connection.dueStep = DueTable.never
                if let next = look(at: connection, now) { watch(connection, at: next) }
            }
        }
        sweepStep = DueTable.never
        armSweep()
    }

    /// Checks a connection. Returns the time of its next check. Nothing is removed here: `end` only marks, and libwebsockets closes
    /// on its next turn.
    private func look(at connection: Connection, _ now: MonotonicTime) -> MonotonicTime? {
        if let deadline = connection.deadline, deadline <= now {
            deadlinePassed(connection)
            return nil
        }
        guard connection.phase == .open else { return connection.deadline }
        return judgeLiveness(of: connection, now)
    }

    private func deadlinePassed(_ connection: Connection) {
        if connection.phase == .http, let listener = connection.listener,
            connection.refusal == nil, !connection.hasAsked || connection.incomingRequest != nil
        {
            noteTurnedAway(from: listener, .handshake)
        }
        let reason: CloseReason =
            connection.phase == .closing ? .failed("the close handshake did not finish in time") : .timedOut
        end(connection, reason)
    }

    /// True if a slow peer is alive although it does not answer a ping, which waits behind data that it is still reading: it
    /// acknowledges some of that. A stopped process acknowledges no more once its buffer is full.
    private func isStillReading(_ connection: Connection, _ now: MonotonicTime) -> Bool {
        guard let wsi = unsafe connection.socket else { return false }
        let acknowledged = unsafe acknowledgedBehindBacklog(of: connection, wsi)
        guard acknowledged > connection.acknowledgedBytes else { return false }
        connection.acknowledgedBytes = acknowledged
        connection.lastHeard = now
        return true
    }

    private func acknowledgedBehindBacklog(of connection: Connection, _ wsi: OpaquePointer) -> UInt64 {
        if let bridge = connection.bridge { return bridge.acknowledgedBehindBacklog }
        return unsafe SocketCounts.acknowledgedBehindBacklog(lws_get_socket_fd(wsi))
    }

    private func judgeLiveness(of connection: Connection, _ now: MonotonicTime) -> MonotonicTime? {
        let liveness = connection.liveness
        guard !connection.isReadingPaused, !connection.isBackpressured else { return now + liveness.pingAfter }
        if let began = connection.messageBegan, now >= began + connection.limits.messageDeadline {
            violated(connection, code: connection.limits.unfinishedCloseCode, "a message did not come in whole in time")
            return connection.deadline
        }
        if now >= connection.lastHeard + liveness.hangUpAfter, !isStillReading(connection, now) {
            end(connection, .timedOut)
            return nil
        }
        let pingAt = max(connection.lastHeard, connection.lastPinged) + liveness.pingAfter
        guard now >= pingAt else { return min(pingAt, connection.lastHeard + liveness.hangUpAfter) }
        guard let wsi = unsafe connection.socket else { return nil }
        connection.lastPinged = now
        connection.acknowledgedBytes = unsafe acknowledgedBehindBacklog(of: connection, wsi)
        if unsafe lws_partial_buffered(wsi) == 0 {
            if unsafe !ping(wsi) { failed(connection, "cannot write") }
        } else {
            connection.isPingDue = true
        }
        return min(now + liveness.pingAfter, connection.lastHeard + liveness.hangUpAfter)
    }
}
