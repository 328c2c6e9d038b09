internal import RelayProtocol

/// One approval after the other in each session: requested by its host, allowed by its client, applied by its host.
final class ApprovalTrips: Stage {
    private static let digest = String(repeating: "5a", count: 32)

    private var askedAt: [Int64] = []
    private var open: [Int] = []
    private var done = 0
    private var isEnding = false
    private var measureFrom: Int64 = .max
    private var latencies = Latencies()

    func run() throws(BenchError) -> BenchResult {
        guard plan.clients == plan.sessions else { throw BenchError(.plan, "approvals need one client for each session") }
        try gatherHosts()
        try gatherClients(connecting: plan.connecting)
        askedAt = sessions.map { _ in 0 }
        open = sessions.map { _ in 0 }
        measureFrom = SteadyClock.now + plan.warmUp.nanoseconds
        for index in sessions.indices { try ask(index) }
        try turn(until: measureFrom)
        let stopwatch = try Stopwatch(gauge, driver)
        try turn(until: measureFrom + plan.duration.nanoseconds)
        var result = BenchResult(plan: plan, use: try stopwatch.stop())
        isEnding = true
        try wait("all approvals are applied") {
            sessions.allSatisfy { $0.through == $0.next - 1 } && open.allSatisfy { $0 == 0 }
        }
        result.done = done
        result.latency = latencies.summary()
        return result
    }

    private func turn(until end: Int64) throws(BenchError) {
        while case let now = SteadyClock.now, now < end { try driver.turn(end - now, self) }
    }

    private func ask(_ index: Int) throws(BenchError) {
        let number = sessions[index].next
        sessions[index].next += 1
        open[index] = Int(number)
        let head = #"{"approval":"a\#(number)","kind":"tool","tool":"Bash","title":"make test","digest":"\#(Self.digest)"}"#
        let event =
            #"{"kind":"approval.requested","at":\#(WallTime.milliseconds),"head":\#(head),"body":{"input":{"command":"make test"}}}"#
        queueEvents(Array(event.utf8), first: number, of: index)
        askedAt[index] = SteadyClock.now
        try driver.flush(hosts[sessions[index].host])
    }

    override func hostReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        if unsafe message.starts(with: #"{"type":"decision""#) {
            guard let index = unsafe session(of: link, in: message),
                unsafe message.number(after: #""approval":"a"#) == Int64(open[index])
            else {
                throw unsafe Self.unexpected(message, on: link)
            }
            if askedAt[index] >= measureFrom, !isEnding {
                latencies.record(nanoseconds: now - askedAt[index])
                done += 1
            }
            return try apply(index)
        }
        unsafe try super.hostReceived(message, on: link, at: now)
        guard askedAt.count == sessions.count, !isEnding else { return }
        // All events about the last approval are on disk.
        for index in sessions.indices where sessions[index].host == link.number {
            if open[index] == 0, sessions[index].through == sessions[index].next - 1 { try ask(index) }
        }
    }

    private func apply(_ index: Int) throws(BenchError) {
        let approval = "a\(open[index])"
        open[index] = 0
        let at = WallTime.milliseconds
        let events =
            #"{"kind":"approval.delivered","at":\#(at),"head":{"approval":"\#(approval)"}},"#
            + #"{"kind":"approval.applied","at":\#(at),"head":{"approval":"\#(approval)","outcome":"ran"}}"#
        queueEvents(Array(events.utf8), first: sessions[index].next, of: index)
        sessions[index].next += 2
        try driver.flush(hosts[sessions[index].host])
    }

    private func session(of link: Link, in message: UnsafeRawBufferPointer) -> Int? {
        if plan.sessions == plan.hosts { return link.number }
        guard let end = unsafe message.end(of: #""session":""#) else { return nil }
        let rest = unsafe UnsafeRawBufferPointer(rebasing: message[end...])
        return unsafe place(of: String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
    }

    override func clientReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        if unsafe message.starts(with: #"{"type":"events""#) { return }
        guard unsafe message.starts(with: #"{"type":"approval""#) else {
            return unsafe try super.clientReceived(message, on: link, at: now)
        }
        guard unsafe message.contains(#""stage":"pending""#), link.number < open.count else { return }
        guard let number = unsafe message.number(after: #""approval":"a"#) else {
            throw unsafe Self.unexpected(message, on: link)
        }
        var decide = JSONWriter(type: "decide")
        decide.field("id", "d\(number)")
        decide.field("session", sessions[link.number].id)
        decide.field("approval", "a\(number)")
        decide.field("digest", Self.digest)
        decide.field("decision", "allow")
        try say(link, decide)
    }
}
