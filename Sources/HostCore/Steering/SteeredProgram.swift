package import RelayProtocol

/// A program that runs a session and fetches what clients send it: its offer, its open request for the next command, the commands that it
/// has still to fetch, and those that it has fetched and not reported the end of.
///
/// ```
/// asked ─▶ (waits to be fetched) ─▶ handed ─told─▶ over
///                   └─ not fetched ─▶ refused  └─ program gone ─▶ unknown
/// ```
///
/// A command is handed only to the run of the program whose offer is in force. A newer run's offer replaces an older one's, and then the
/// older one's reports do not change it; the older one still reports the outcomes of the commands handed to it.
///
/// Pure, and the same for every adapter whose sessions are run by programs.
package struct SteeredProgram: Sendable {
    package enum Order: Sendable, Equatable {
        /// Answers its open request, once.
        case hand(SteeringRequest, HookToken)
        /// Nothing has come; it asks again.
        case nothing(HookToken)
        /// Another request for the same session has come and waits now.
        case replaced(HookToken)
        /// This run has first to report what can be done.
        case unoffered(HookToken)
        /// A newer run has the session, and this one need not ask.
        case outdated(HookToken)
        case told(SteeringChange)
    }

    private let limits: SteeringLimits
    /// The program's last report of what can be done, and whether it could take a prompt.
    package private(set) var offer = SteeringOffer()
    package private(set) var standing = SteeringStanding.busy
    /// The run that made the offer.
    package private(set) var run: ProgramRun?
    /// The run that made the offer does not wait any more: now any may take its place.
    private var isGone = false
    private var waiting: (token: HookToken, until: Int64)?
    /// Between two of its requests there is a moment.
    private var queue: [(request: SteeringRequest, until: Int64)] = []
    private var handed: [(name: SteeringName, run: ProgramRun?)] = []

    package init(_ limits: SteeringLimits = SteeringLimits()) { self.limits = limits }

    // MARK: What it says

    /// Nil if a newer run has reported: then this one's report is ignored.
    package mutating func stands(
        _ offer: SteeringOffer, _ standing: SteeringStanding, by run: ProgramRun? = nil
    ) -> [Order]? {
        guard !isOutdated(run) else { return nil }
        self.offer = offer
        self.standing = standing
        guard run != self.run else { return [] }
        self.run = run
        isGone = false
        defer { waiting = nil }
        return waiting.map { [.replaced($0.token)] } ?? []
    }

    /// One run reads only its newest request.
    package mutating func waits(_ token: HookToken, by run: ProgramRun? = nil, at now: HostInstant) -> [Order] {
        guard run == self.run else { return [isOutdated(run) ? .outdated(token) : .unoffered(token)] }
        isGone = false
        let before = waiting.map { [Order.replaced($0.token)] } ?? []
        waiting = (token, now.monotonic + limits.fetchFor.milliseconds)
        return before + handNext()
    }

    private func isOutdated(_ run: ProgramRun?) -> Bool {
        guard let run, let newest = self.run, !isGone else { return false }
        return run.isOlder(than: newest)
    }

    /// The outcome of a command that was not handed to it stays unknown.
    package mutating func told(_ change: SteeringChange, by run: ProgramRun? = nil) -> [Order] {
        guard let place = handed.firstIndex(where: { $0.name == change.name && $0.run == run }) else { return [] }
        if change.stage.isFinal { handed.remove(at: place) }
        return [.told(change)]
    }

    /// True if that was its open request: then it is gone, as it closes none that it wants answered.
    package mutating func hasLeft(_ token: HookToken) -> Bool {
        guard waiting?.token == token else { return false }
        waiting = nil
        return true
    }

    // MARK: What happens to it

    package mutating func asked(_ request: SteeringRequest, at now: HostInstant) -> [Order] {
        guard queue.count < limits.unfetchedMax else { return [Self.refused(request, "the program fetches nothing")] }
        queue.append((request, now.monotonic + limits.fetchWithin.milliseconds))
        return handNext()
    }

    /// Commands that it fetched may have been done.
    package mutating func gone() -> [Order] {
        let lost = handed
        isGone = true
        return over() + lost.map { .told(SteeringChange($0.name, .unknown, reason: Self.goneReason)) }
    }

    /// Its session has ended, and its events give the outcome of what it fetched better than we can: a stop has worked.
    package mutating func over() -> [Order] {
        defer { (queue, handed, waiting) = ([], [], nil) }
        return queue.map { Self.refused($0.request, Self.goneReason) } + (waiting.map { [.nothing($0.token)] } ?? [])
    }

    package var nextDeadline: Int64? { (queue.map(\.until) + [waiting?.until].compactMap { $0 }).min() }

    package mutating func timerFired(at now: HostInstant) -> [Order] {
        var orders: [Order] = []
        while let next = queue.first, next.until <= now.monotonic {
            queue.removeFirst()
            orders.append(Self.refused(next.request, "the program did not fetch it"))
        }
        if let (token, until) = waiting, until <= now.monotonic {
            waiting = nil
            orders.append(.nothing(token))
        }
        return orders
    }

    private static let goneReason = "the program that runs the session is gone"

    private static func refused(_ request: SteeringRequest, _ reason: String) -> Order {
        .told(SteeringChange(request.name, .refused, reason: reason))
    }

    private mutating func handNext() -> [Order] {
        guard let (token, _) = waiting, !queue.isEmpty else { return [] }
        let request = queue.removeFirst().request
        waiting = nil
        handed.append((request.name, run))
        // The outcome of the oldest one is known by now, or known to be unknown.
        if handed.count > limits.handedMax { handed.removeFirst() }
        return [.hand(request, token)]
    }
}
