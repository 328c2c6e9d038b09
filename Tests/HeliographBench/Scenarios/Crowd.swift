internal import RelayProtocol

/// Connecting clients: `idle`, `storm`, `resume`.
final class Crowd: Stage {
    /// Position of a returning client; nil if all connect for the first time.
    private var position: Int64?
    private var seen: [Int64] = []
    private var logEpoch = ""

    func idle() throws(BenchError) -> BenchResult {
        try gatherHosts(events: plan.history)
        let before = try gauge?.residentKiB
        try gatherClients(connecting: plan.connecting)
        try rest(plan.warmUp)
        let stopwatch = try Stopwatch(gauge, driver)
        try rest(plan.duration)
        var result = BenchResult(plan: plan, use: try stopwatch.stop())
        result.clients = plan.clients
        result.turnedAway = turnedAway
        result.residentBeforeKiB = before
        result.idleSecondsPerMinute = result.use.relaySeconds.map { $0 * 60 / result.use.seconds }
        return result
    }

    /// Connects all clients at once, until each has its snapshot.
    func storm() throws(BenchError) -> BenchResult {
        try gatherHosts(events: plan.history)
        return try gatherAll()
    }

    /// Reconnects all clients at once, until each has the events that it missed. `restart` kills the relay and starts it again, if
    /// that is possible.
    func resume(restart: (() throws(BenchError) -> BenchTarget)?) throws(BenchError) -> BenchResult {
        try gatherHosts(events: plan.history)
        let probe = try driver.open(.client, number: 0, token: target.clientToken)
        clients.append(probe)
        try wait("the log's epoch is known") { clientsLevel == 1 }
        guard let restart else { return try Crowd(self, target).gatherAll() }
        for link in hosts + clients { driver.close(link) }
        return try Crowd(self, restart()).gatherAll()
    }

    override init(_ plan: BenchPlan, _ target: BenchTarget) throws(BenchError) { try super.init(plan, target) }

    /// The sessions of `before`, for clients that have a part of each.
    private init(_ before: Crowd, _ target: BenchTarget) throws(BenchError) {
        try super.init(before.plan, target)
        sessions = before.sessions
        logEpoch = before.epoch
        position = Int64(max(1, plan.history) - plan.missed)
        seen = [Int64](repeating: position ?? 0, count: plan.clients)
    }

    private func gatherAll() throws(BenchError) -> BenchResult {
        let before = try gauge?.residentKiB
        let stopwatch = try Stopwatch(gauge, driver)
        try gatherClients(connecting: plan.clients)
        var result = BenchResult(plan: plan, use: try stopwatch.stop())
        result.clients = plan.clients
        result.turnedAway = turnedAway
        result.residentBeforeKiB = before
        return result
    }

    private func rest(_ duration: Duration) throws(BenchError) {
        let end = SteadyClock.now + duration.nanoseconds
        while case let now = SteadyClock.now, now < end { try driver.turn(end - now, self) }
    }

    override func subscribe(_ link: Link) throws(BenchError) {
        guard let position else { return try super.subscribe(link) }
        guard epoch == logEpoch else {
            throw BenchError(.sequence, "\(link.name): the log has another epoch after the restart")
        }
        var message = JSONWriter(type: "subscribe")
        message.field("id", "s")
        message.field("session", sessions[link.number % plan.sessions].id)
        message.object("after") {
            $0.field("epoch", logEpoch)
            $0.field("seq", position)
        }
        try say(link, message)
        if plan.missed == 0 { becameLevel() }
    }

    override func clientReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        guard position != nil, unsafe message.starts(with: #"{"type":"events""#) else {
            return unsafe try super.clientReceived(message, on: link, at: now)
        }
        seen[link.number] += unsafe try Self.eventCount(message, on: link, after: seen[link.number])
        if seen[link.number] == sessions[link.number % plan.sessions].next - 1 { becameLevel() }
    }
}
