package import RelayProtocol

/// A program that runs a session and fetches the commands that clients send it: its offer, its open request for the next command,
/// the commands that it has still to fetch, and those that it has fetched without reporting an outcome.
///
/// ```
/// asked ─▶ (waits to be fetched) ─▶ handed ─told─▶ over
///                   └─ not fetched ─▶ refused  └─ program gone ─▶ unknown
/// ```
///
/// A command is handed only to the run of the program whose offer is in force. A newer run's offer replaces an older one's, whose
/// reports then do not change it; the older run still reports the outcomes of the commands handed to it.
///
/// Pure, and the same for every adapter whose sessions are run by programs.
package struct SteeredProgram: Sendable {
    package enum Order: Sendable, Equatable {
        /// Answers the program's open request with a command, once.
        case hand(SteeringRequest, HookToken)
        /// Answers that there is no command; the program asks again.
        case nothing(HookToken)
        /// Answers that another request for the same session waits now.
        case replaced(HookToken)
        /// Answers that this run has to report its offer first.
        case unoffered(HookToken)
        /// Answers that a newer run has the session, so that this one need not ask again.
        case outdated(HookToken)
        case told(SteeringChange)
    }

    private let limits: SteeringLimits
    /// The program's last offer, and its last reported readiness for a prompt.
    package private(set) var offer = SteeringOffer()
    package private(set) var standing = SteeringStanding.busy
    /// The run that made the offer.
    package private(set) var run: ProgramRun?
    /// True if the run that made the offer does not wait any more, so that any run may take its place.
    private var isGone = false
    private var waiting: (token: HookToken, until: Int64)?
    /// Commands to be fetched; between two of the program's requests there is a moment.
    private var queue: [(request: SteeringRequest, until: Int64)] = []
    private var handed: [(name: SteeringName, run: ProgramRun?)] = []

    package init(_ limits: SteeringLimits = SteeringLimits()) { self.limits = limits }

    // MARK: What it says

    /// Takes over a run's offer. Nil if a newer run has reported, whose offer stays.
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

    /// Handles a request for the next command. A run reads only its newest request.
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

    /// Handles a reported outcome. It is ignored if the command was not handed to this run.
    package mutating func told(_ change: SteeringChange, by run: ProgramRun? = nil) -> [Order] {
        guard let place = handed.firstIndex(where: { $0.name == change.name && $0.run == run }) else { return [] }
        if change.stage.isFinal { handed.remove(at: place) }
        return [.told(change)]
    }

    /// Handles a closed request. True if it was the open one: then the program is gone, as it closes no request that it wants
    /// answered.
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

    /// Handles the end of the program. The commands that it fetched may have been carried out, so their outcome is unknown.
    package mutating func gone() -> [Order] {
        let lost = handed
        isGone = true
        return over() + lost.map { .told(SteeringChange($0.name, .unknown, reason: Self.goneReason)) }
    }

    /// Handles the end of its session, whose events give the outcome of fetched commands better than we can: a stop has worked.
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
        // By now the oldest command has an outcome, or one that is known to be unknown.
        if handed.count > limits.handedMax { handed.removeFirst() }
        return [.hand(request, token)]
    }
}
