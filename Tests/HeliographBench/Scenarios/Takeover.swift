internal import Glibc
internal import RelayProtocol

/// Hosts and clients stay while the node that owns their workspace is lost: from the signal until each client is up to date again
/// at another. After that each session gets one more event, which every client has to see next.
final class Takeover: Stage {
    /// Time limit: a lease of 8 s, and a minute for the rest.
    private static let returnNanosecondsMax: Int64 = 70_000_000_000
    /// Connections begun in one turn; see `Stage.begunAtOnce`.
    private static let begunAtOnce = 128

    /// The state of one peer since the signal.
    private struct Return {
        /// Time of its next attempt; nil if it is connected or connecting.
        var due: Int64?
        var attempts = 0
        /// Time at which it was up to date again; 0 before.
        var levelAt: Int64 = 0
    }

    private var begin: Int64 = .max
    private var hostReturns: [Return] = []
    private var clientReturns: [Return] = []
    /// Each client's position in its session.
    private var seen: [Int64] = []
    private var refusals = 0

    private var isAway: Bool { begin != .max }
    override var outlivesRelays: Bool { isAway }

    func run() throws(BenchError) -> BenchResult {
        guard let owner = plan.owner else { throw BenchError(.plan, "a takeover needs the process that is lost") }
        try gatherHosts(events: plan.history)
        try gatherClients(connecting: plan.connecting)
        seen = clients.map { sessions[$0.number % plan.sessions].next - 1 }
        hostReturns = hosts.map { _ in Return() }
        clientReturns = clients.map { _ in Return() }
        let rested = SteadyClock.now + plan.warmUp.nanoseconds
        while case let now = SteadyClock.now, now < rested { try driver.turn(rested - now, self) }
        let stopwatch = try Stopwatch(gauge, driver)
        begin = SteadyClock.now
        guard kill(owner, plan.isOwnerStopped ? SIGSTOP : SIGKILL) == 0 else {
            throw BenchError(.system, "process \(owner) takes no signal: \(String(errno: errno))")
        }
        try turn("each client is level again") { clientReturns.allSatisfy { $0.levelAt > 0 } }
        var result = BenchResult(plan: plan, use: try stopwatch.stop())
        try turn("each host is back") { hostReturns.allSatisfy { $0.levelAt > 0 } }
        for index in sessions.indices {
            queueEvents(1, of: index)
            try driver.flush(hosts[sessions[index].host])
        }
        try turn("each client has the next event") {
            seen.indices.allSatisfy { seen[$0] == sessions[$0 % plan.sessions].next - 1 }
        }
        var latencies = Latencies()
        for client in clientReturns { latencies.record(nanoseconds: client.levelAt - begin) }
        result.latency = latencies.summary()
        result.clients = plan.clients
        result.turnedAway = refusals
        return result
    }

    private func turn(_ what: String, until holds: () -> Bool) throws(BenchError) {
        let deadline = SteadyClock.now + Self.returnNanosecondsMax
        while !holds() {
            let now = SteadyClock.now
            guard now < deadline else { throw BenchError(.tooSlow, "it is still not so that \(what)") }
            try comeAgain(.host, &hostReturns, at: now)
            try comeAgain(.client, &clientReturns, at: now)
            try driver.turn(2_000_000, self)
        }
    }

    private func comeAgain(_ role: Link.Role, _ returns: inout [Return], at now: Int64) throws(BenchError) {
        var begun = 0
        for number in returns.indices where begun < Self.begunAtOnce {
            guard let due = returns[number].due, due <= now else { continue }
            begun += 1
            returns[number].due = nil
            returns[number].attempts += 1
            do {
                let token = role == .host ? target.hostTokens[number] : target.clientToken
                let link = try driver.open(role, number: number, attempt: returns[number].attempts, token: token)
                if role == .host { hosts[number] = link } else { clients[number] = link }
            } catch  where error.code == .unreachable {
                refusals += 1
                returns[number].due = now + .random(in: 0..<Self.retryNanoseconds)
            }
        }
    }

    private func later(_ link: Link, nanoseconds: Int64) {
        let due = SteadyClock.now + nanoseconds
        if link.role == .host { hostReturns[link.number].due = due } else { clientReturns[link.number].due = due }
    }

    // MARK: - What came

    override func ended(_ link: Link, _ end: LinkEnd) throws(BenchError) {
        guard isAway else { return try super.ended(link, end) }
        guard case .closed(let code, let reason) = end else {
            return later(link, nanoseconds: .random(in: 0..<Self.retryNanoseconds))
        }
        // Clients return after the time in the close code's reason.
        guard let code = UInt16(exactly: code), code == CloseCode.restarting.rawValue,
            let wait = CloseCode.wait(code, reason)
        else { return try super.ended(link, end) }
        later(link, nanoseconds: wait * 1_000_000)
    }

    override func turnedAway(_ link: Link, status: Int) throws(BenchError) {
        guard isAway else { return try super.turnedAway(link, status: status) }
        guard status == 0 || status == 429 || status == 503 else {
            throw BenchError(.refused, "\(link.name) was refused with HTTP \(status)")
        }
        refusals += 1
        later(link, nanoseconds: .random(in: 0..<Self.retryNanoseconds))
    }

    override func hostReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        if isAway, unsafe message.starts(with: #"{"type":"welcome""#) { hostReturns[link.number].levelAt = now }
        unsafe try super.hostReceived(message, on: link, at: now)
    }

    override func subscribe(_ link: Link) throws(BenchError) {
        guard isAway else { return try super.subscribe(link) }
        var message = JSONWriter(type: "subscribe")
        message.field("id", "s")
        message.field("session", sessions[link.number % plan.sessions].id)
        message.object("after") {
            $0.field("epoch", epoch)
            $0.field("seq", seen[link.number])
        }
        try say(link, message)
    }

    override func clientReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        guard isAway else { return unsafe try super.clientReceived(message, on: link, at: now) }
        if unsafe message.starts(with: #"{"type":"events""#) {
            return seen[link.number] += unsafe try Self.eventCount(message, on: link, after: seen[link.number])
        }
        if unsafe message.starts(with: #"{"type":"snapshot""#) || message.starts(with: #"{"type":"reset""#) {
            throw BenchError(.sequence, "\(link.name) is told to begin again, although the log lost nothing")
        }
        if unsafe message.starts(with: #"{"type":"reply""#) {
            // A client that missed nothing is up to date at once.
            if clientReturns[link.number].levelAt == 0 { clientReturns[link.number].levelAt = now }
        }
        unsafe try super.clientReceived(message, on: link, at: now)
    }
}
