/// Names a timer of one loop.
package struct HTTP2TimerID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Timers and deadlines.
extension HTTP2Loop {
    /// Runs `body` once, not before `delay` has passed.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping (HTTP2Loop) -> Void) -> HTTP2TimerID {
        preconditionOnLoop()
        let timer = Timer(id: HTTP2TimerID(rawValue: makeID()), deadline: .now + delay, body: body)
        let index = timers.firstIndex { $0.deadline > timer.deadline } ?? timers.endIndex
        timers.insert(timer, at: index)
        return timer.id
    }

    /// Cancels the timer. No effect if it has run.
    package func cancel(_ timer: HTTP2TimerID) {
        preconditionOnLoop()
        timers.removeAll { $0.id == timer }
    }

    func fireTimers() {
        while let first = timers.first, first.deadline <= now {
            timers.removeFirst()
            first.body(self)
        }
    }

    func sweepIfDue() {
        guard let nextSweep, nextSweep <= now else { return }
        self.nextSweep = nil
        for connection in Array(connections.values) { sweep(connection) }
    }

    private func sweep(_ connection: HTTP2Connection) {
        if let deadline = connection.deadline {
            if deadline <= now { return finish(connection, connection.closeReason ?? .deadlinePassed) }
            expect(by: deadline)
        }
        if let deadline = connection.attemptDeadline {
            if deadline <= now {
                connection.failure = "\(connection.peer) does not answer"
                connectToNextAddress(connection)
            } else {
                expect(by: deadline)
            }
        }
        for (number, deadline) in connection.streamDeadlines {
            if deadline > now {
                expect(by: deadline)
            } else {
                connection.streamDeadlines[number] = nil
                end(number, of: connection, .deadlinePassed)
            }
        }
    }

    /// Ends a stream and tells the handler at once: on a stalled connection the reset would never be sent.
    private func end(_ number: Int32, of connection: HTTP2Connection, _ end: HTTP2StreamEnd) {
        guard let stream = connection.session.streams[number], stream.end == nil else { return }
        connection.session.reset(number, .cancel, end)
        connection.session.streams[number] = nil
        reportEnd(end, of: number, connection)
        touch(connection)
    }
}
