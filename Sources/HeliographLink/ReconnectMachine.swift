internal import RelayProtocol

/// Decides whether and when a host or a client reconnects after its connection to the relay has ended. Pure: time and randomness
/// are arguments.
package struct ReconnectMachine: Sendable {
    package enum State: Equatable, Sendable {
        /// Not started. Becomes `connecting`.
        case idle
        /// A connection was ordered. Becomes `greeting`, `waiting` or `over`.
        case connecting
        /// The connection is open, and `hello` was sent; only `welcome` is accepted. Becomes `up`, `waiting` or `over`.
        case greeting
        /// Welcomed. Becomes `waiting` or `over`.
        case up
        /// The link is down, until the next attempt. Becomes `connecting`.
        case waiting
        /// Reconnecting would be pointless. Final.
        case over
    }

    package enum After: Equatable, Sendable {
        case retry(after: Duration)
        case over(LinkError)
    }

    package struct Policy: Sendable {
        /// Longest wait before the first attempt; a relay that restarts is back in a second.
        package var first: Duration
        /// Longest wait; also the longest time that a laptop needs to reconnect after it wakes up.
        package var most: Duration
        /// The part of a wait that is not random, from 0 to 1.
        package var steadyPart: Double
        /// Wait after a refusal that only a person can resolve (a revoked token, another version); nil: the link ends.
        package var refused: Duration?

        package init(
            first: Duration = .milliseconds(500), most: Duration = .seconds(30), steadyPart: Double, refused: Duration?
        ) {
            self.first = first
            self.most = most
            self.steadyPart = steadyPart
            self.refused = refused
        }
    }

    /// Protocol errors in a row after which the link ends, as the next connection would be closed too.
    static let protocolErrorsMax = 3

    package private(set) var state = State.idle
    /// Connections that have ended since `proven` was last called.
    package private(set) var failures = 0
    private var protocolErrors = 0
    private let policy: Policy

    package init(_ policy: Policy) { self.policy = policy }

    // MARK: - Facts, in the order of life

    /// Called at the start, and at the time of the next attempt. False if no connection is to be made.
    package mutating func begin() -> Bool {
        guard state == .idle || state == .waiting else { return false }
        state = .connecting
        return true
    }

    package mutating func opened() {
        precondition(state == .connecting, "only a connection that was ordered opens")
        state = .greeting
    }

    package mutating func welcomed() {
        precondition(state == .greeting, "a relay welcomes peers that have said hello")
        state = .up
    }

    /// The connection works: resets the counts of failures.
    package mutating func proven() {
        failures = 0
        protocolErrors = 0
    }

    /// A connection has ended. `jitter`: a random number from 0 to 1.
    package mutating func closed(_ end: LinkEnd, jitter: Double) -> After {
        precondition(state != .over, "after the end no connection is ordered")
        let fault = refusal(end)
        if let fault, policy.refused == nil {
            state = .over
            return .over(fault)
        }
        state = .waiting
        defer { failures += 1 }
        return .retry(after: fault == nil ? wait(after: end, jitter: min(max(jitter, 0), 1)) : policy.refused ?? policy.most)
    }

    /// Ends the link for good.
    package mutating func end() { state = .over }

    // MARK: - What an end means

    /// The error, if only a person can resolve its cause; nil: reconnect.
    private mutating func refusal(_ end: LinkEnd) -> LinkError? {
        switch end {
        // A peer that always reconnects, such as a host, follows the server's delay, and also retries after answers that may come
        // from a captive portal.
        case .refused(let status, let wait) where policy.refused != nil && (wait != nil || status < 400): return nil
        case .peer(CloseCode.revoked.rawValue, CloseCode.workspaceRemoved):
            return LinkError(
                .unauthorised, "the relay removed this workspace: its operator did, or nobody had used it for too long",
                advice: "Join again, or ask for an invitation.")
        case .refused(401, _), .refused(403, _), .peer(CloseCode.revoked.rawValue, _):
            return LinkError(.unauthorised, "the relay does not know this client (any more)")
        case .peer(CloseCode.unsupportedVersion.rawValue, _):
            return LinkError(
                .failed, "the relay speaks another version of the wire", advice: "Update this program, or the relay.")
        case .peer(let code?, let text) where !CloseCode.invitesReconnect(code):
            return LinkError(.refused, "the relay closed the connection for good: \(text.isEmpty ? "code \(code)" : text)")
        case .peer(1002, _), .peer(1003, _), .peer(1007, _), .peer(1009, _):
            protocolErrors += 1
            guard protocolErrors >= Self.protocolErrorsMax else { return nil }
            return LinkError(.failed, "the relay and this program do not understand each other: \(end.sentence)")
        // Too many requests, a timeout or a server error resolve themselves.
        case .refused(let status, _) where !(status == 429 || status == 408 || status >= 500):
            return LinkError(.unreachable, "no relay answers there (HTTP \(status))")
        default: return nil
        }
    }

    /// The wait before the next attempt: as long as the relay asks for, else doubling up to a limit, and randomised so that not all
    /// peers reconnect at once.
    private func wait(after end: LinkEnd, jitter: Double) -> Duration {
        switch end {
        case .peer(let code?, let text):
            guard let wait = CloseCode.wait(code, text).map({ Duration.milliseconds($0) }) else { break }
            // The relay randomises restarts itself, in milliseconds; a delay in whole seconds is randomised here.
            return code == CloseCode.restarting.rawValue ? wait : wait + policy.first * jitter
        case .refused(_, let wait?): return wait + policy.first * jitter
        default: break
        }
        let step = min(policy.most, policy.first * (1 << min(failures, 10)))
        return step * (policy.steadyPart + (1 - policy.steadyPart) * jitter)
    }
}
