import Glibc

/// Sends one request to the daemon: a report, or a question whose answer it waits for.
package struct HookExchange {
    /// Result of reporting an event.
    package enum Told: Equatable {
        /// The daemon has the event, and an answer for the agent.
        case answered([UInt8])
        /// The daemon has the event, and no answer.
        case taken
        case unheard
    }

    package enum Outcome { case answered(status: Int, body: [UInt8]), unusable, broken, gaveUp }

    package let request: HookRequest
    package let socketPath: String
    package var limits: HookLimits
    /// Called every `limits.agentCheck` while waiting: if the agent is gone, nobody needs the answer.
    package var isAgentAlive: () -> Bool
    /// True if a person is at the terminal and the agent shows its own prompt there. Then nothing waits for us alone, and we may
    /// wait longer.
    package var isAttended = false

    package init(
        request: HookRequest, socketPath: String, limits: HookLimits = HookLimits(),
        isAgentAlive: @escaping () -> Bool = { true }
    ) {
        self.request = request
        self.socketPath = socketPath
        self.limits = limits
        self.isAgentAlive = isAgentAlive
    }

    /// Sends the event and waits until the daemon confirms it, so that the next hook's event cannot overtake this one. All of it
    /// happens within the budget, unless the event is so large that the daemon is still reading it. The result may be ignored: a
    /// hook must not disturb its agent.
    @discardableResult
    package func tell() -> Told {
        guard let (status, body) = send() else { return .unheard }
        return status == 200 ? .answered(body) : status == 204 ? .taken : .unheard
    }

    /// Sends the request. Returns the daemon's answer, whatever it is; nil if none came within the budget.
    package func send() -> (status: Int, body: [UInt8])? {
        let deadline = ContinuousClock.now + limits.budget
        guard let socket = HookSocket(connectingTo: socketPath, until: deadline),
            case .answered(let status, let body) = exchange(request.bytes(), on: socket, until: deadline)
        else { return nil }
        return (status, body)
    }

    /// Returns the answer for the agent, or nil for no decision.
    package func ask() -> [UInt8]? {
        guard let (status, body) = wait(), status == 200 else { return nil }
        return body
    }

    /// Returns the daemon's final answer, or nil for no decision. Waits as long as the agent lives and the daemon lives or comes
    /// back. A daemon that is gone is waited for a short time if the agent waits for us alone, and for all of the question's life
    /// if it asks at its terminal as well.
    package func wait() -> (status: Int, body: [UInt8])? {
        var attempt = 1
        var brokenSince: ContinuousClock.Instant?
        let end = ContinuousClock.now + limits.questionLife
        while true {
            let begun = ContinuousClock.now
            if let socket = HookSocket(connectingTo: socketPath, until: begun + limits.budget) {
                switch exchange(request.bytes(attempt: attempt), on: socket, until: nil) {
                case .answered(let status, let body): return (status, body)
                case .unusable: return nil
                case .gaveUp where !isAttended: return nil
                case .broken, .gaveUp:
                    // A connection that lasted long belonged to a working daemon, not to one more crash of the same outage.
                    if ContinuousClock.now - begun > limits.retryWindow { brokenSince = nil }
                }
            } else if attempt == 1 {
                return nil
            }
            let now = ContinuousClock.now
            let since = brokenSince ?? now
            brokenSince = since
            let isFresh = now - since < limits.retryWindow
            guard isFresh || (isAttended && now < end), isAgentAlive() else { return nil }
            pause(isFresh ? limits.retryInterval : limits.retryIntervalLater)
            attempt += 1
        }
    }

    /// Exchanges one request and answer. It gives up at the deadline, or without one when the agent is gone or the daemon shows no
    /// sign of life.
    package func exchange(
        _ bytes: [UInt8], on socket: borrowing HookSocket, until deadline: ContinuousClock.Instant?
    ) -> Outcome {
        var deadline = deadline
        let transferEnd = ContinuousClock.now + max(limits.transferMax, limits.budget)
        var sent = 0
        while sent < bytes.count {
            // A daemon that refuses early may have answered before it hung up; its answer is read below.
            guard let count = socket.send(bytes[sent...]) else { break }
            sent += count
            guard count == 0 else { continue }
            guard wait(for: POLLOUT, on: socket, until: deadline) else { return .gaveUp }
            // The daemon has just read some bytes.
            if deadline != nil { deadline = min(.now + limits.budget, transferEnd) }
        }
        var response = HookResponse(limits: limits)
        while true {
            guard wait(for: POLLIN, on: socket, until: deadline) else { return .gaveUp }
            switch socket.receive(bytesMax: 64 << 10) {
            case .wait: continue
            case .end, .failed: return .broken
            case .bytes(let more):
                switch response.append(more) {
                case .incomplete: continue
                case .unusable: return .unusable
                case .complete(let status, let body): return .answered(status: status, body: body)
                }
            }
        }
    }

    private func wait(for events: Int32, on socket: borrowing HookSocket, until deadline: ContinuousClock.Instant?) -> Bool {
        if let deadline {
            if let glance = limits.glance {
                let first = socket.wait(for: events, until: min(.now + glance, deadline))
                if first != .timedOut || socket.isPeerStopped { return first == .ready }
            }
            return socket.wait(for: events, until: deadline) == .ready
        }
        var nextProbe = ContinuousClock.now + limits.probeInterval
        var misses = 0
        while true {
            switch socket.wait(for: events, until: min(.now + limits.agentCheck, nextProbe)) {
            case .ready: return true
            case .failed: return false
            case .timedOut: if !isAgentAlive() { return false }
            }
            guard ContinuousClock.now >= nextProbe else { continue }
            misses = isDaemonAlive() ? 0 : misses + 1
            // Data that arrived while we probed takes precedence over a missed probe.
            if misses >= limits.probeMisses { return socket.wait(for: events, until: .now) == .ready }
            nextProbe = .now + limits.probeInterval
        }
    }

    /// True if the daemon answers any request.
    private func isDaemonAlive() -> Bool {
        let deadline = ContinuousClock.now + limits.probePatience
        guard let socket = HookSocket(connectingTo: socketPath, until: deadline) else { return false }
        let request = Array("GET /v1/alive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        guard socket.send(request[...]) == request.count, socket.wait(for: POLLIN, until: deadline) == .ready else {
            return false
        }
        if case .bytes = socket.receive(bytesMax: 1 << 10) { return true }
        return false
    }

    private func pause(_ duration: Duration) {
        let parts = duration.components
        var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        // A signal that ends the sleep only makes one attempt early.
        unsafe nanosleep(&time, nil)
    }
}
