internal import RelayProtocol

/// Decides whether and when a host or a client reconnects after its connection to the relay has ended. Pure: time and chance are
/// arguments.
package struct ReconnectMachine: Sendable {
    package enum State: Equatable, Sendable {
        /// Not started. Becomes `connecting`.
        case idle
        /// A connection was ordered. Becomes `greeting`, `waiting` or `over`.
        case connecting
        /// Open, and `hello` is sent; only `welcome` counts. Becomes `up`, `waiting` or `over`.
        case greeting
        /// Welcomed. Becomes `waiting` or `over`.
        case up
        /// The link is down and a retry is due. Becomes `connecting`.
        case waiting
        /// Coming back would be pointless. Final.
        case over
    }

    package enum After: Equatable, Sendable {
        case retry(after: Duration)
        case over(LinkError)
    }

    package struct Policy: Sendable {
        /// The first retry comes within this; a relay that restarts is back in a second.
        package var first: Duration
        /// The longest wait: how late a laptop that wakes up may be at worst.
        package var most: Duration
        /// The part of a wait that is no matter of chance, from 0 to 1.
        package var steadyPart: Double
        /// The wait after a refusal that only a person can mend (a revoked token, another version); nil: it is the end.
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

    /// Closed that often in a row for a protocol error, we would only be closed again.
    static let protocolErrorsMax = 3

    package private(set) var state = State.idle
    /// Connections that have ended since the link last proved itself.
    package private(set) var failures = 0
    private var protocolErrors = 0
    private let policy: Policy

    package init(_ policy: Policy) { self.policy = policy }

    // MARK: - Facts, in the order of life

    /// At the start, and when a retry is due. False: there is nothing to do.
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

    /// Resets the counts of failures before this connection.
    package mutating func proven() {
        failures = 0
        protocolErrors = 0
    }

    /// `jitter` is from 0 to 1.
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

    /// There is nothing to come back to.
    package mutating func end() { state = .over }

    // MARK: - What an end means

    /// The error if only a person can mend the cause; nil: reconnect.
    private mutating func refusal(_ end: LinkEnd) -> LinkError? {
        switch end {
        // A peer that always reconnects follows the server's delay, and is not kept away by what may be a captive portal.
        case .refused(let status, let wait) where policy.refused != nil && (wait != nil || status < 400): return nil
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
        // Too many, or too slow: nothing that a person has to mend.
        case .refused(let status, _) where !(status == 429 || status == 408 || status >= 500):
            return LinkError(.unreachable, "no relay answers there (HTTP \(status))")
        default: return nil
        }
    }

    /// As long as the relay asks for, else doubling, capped, and spread so that not all come back at once.
    private func wait(after end: LinkEnd, jitter: Double) -> Duration {
        switch end {
        case .peer(let code?, let text):
            guard let wait = CloseCode.wait(code, text).map({ Duration.milliseconds($0) }) else { break }
            // The relay spreads restarts itself, by milliseconds; whole seconds are spread here.
            return code == CloseCode.restarting.rawValue ? wait : wait + policy.first * jitter
        case .refused(_, let wait?): return wait + policy.first * jitter
        default: break
        }
        let step = min(policy.most, policy.first * (1 << min(failures, 10)))
        return step * (policy.steadyPart + (1 - policy.steadyPart) * jitter)
    }
}
