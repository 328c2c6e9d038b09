internal import Glibc
internal import RelayAccess
internal import RelayProtocol

/// The base of every scenario: hosts that have announced their sessions, and clients that connect a few at a time until each has
/// its snapshot. A scenario adds its own handling of events, approvals and acknowledgements.
class Stage: LinkHandler {
    /// Time limit for the next welcome or snapshot, and for the last event.
    static let patienceNanoseconds: Int64 = 60_000_000_000
    /// Longest wait of a refused client before it retries; a random part of this, like a real client.
    static let retryNanoseconds: Int64 = 250_000_000
    /// Connections begun before existing ones are served: a connected client sends its request at once, because a busy relay closes
    /// connections that send nothing.
    private static let begunAtOnce = 128

    let plan: BenchPlan
    let target: BenchTarget
    let driver: Driver
    let template: EventTemplate
    let gauge: ProcessGauge?
    var sessions: [BenchSession]
    /// Index of each session, by its id.
    private let places: [String: Int]
    var hosts: [Link] = []
    var clients: [Link] = []
    /// Number of hosts that were welcomed, and of clients that have everything they requested.
    private(set) var hostsReady = 0
    private(set) var clientsLevel = 0
    /// Number of refused connections that were tried again.
    private(set) var turnedAway = 0
    /// Refused peers, the next to retry last.
    private var returning: [(at: Int64, number: Int)] = []
    private(set) var epoch = ""

    init(_ plan: BenchPlan, _ target: BenchTarget) throws(BenchError) {
        try plan.check()
        guard target.hostTokens.count >= plan.hosts else {
            throw BenchError(.plan, "\(plan.hosts) hosts need as many host tokens: there are \(target.hostTokens.count)")
        }
        self.plan = plan
        self.target = target
        func endpoints(_ relays: [RelayAddress]) throws(BenchError) -> [Endpoint] {
            var made: [Endpoint] = []
            for relay in relays {
                made.append(try Endpoint(relay, certificateAuthorityFile: target.certificateAuthorityFile))
            }
            return made
        }
        driver = try Driver(
            hosts: endpoints(target.relays), clients: endpoints(target.clientRelays), dialect: target.dialect)
        template = EventTemplate(size: plan.size, isSealed: plan.isSealed, at: WallTime.milliseconds)
        gauge = try target.process.map { process throws(BenchError) in try ProcessGauge(process) }
        // Session ids are unique to a run, because numbers begin at 1 in each.
        let run = String(UInt32.random(in: 0 ... .max), radix: 16)
        let made = (0..<plan.sessions).map { BenchSession(id: "bench-\(run)-\($0)", host: $0 % plan.hosts) }
        sessions = made
        places = Dictionary(uniqueKeysWithValues: made.enumerated().map { ($1.id, $0) })
    }

    // MARK: - Gathering

    /// Returns when each host was welcomed and each session has begun, with `events` in all.
    func gatherHosts(events: Int = 1) throws(BenchError) {
        for number in 0..<plan.hosts { hosts.append(try driver.open(.host, number: number, token: target.hostTokens[number])) }
        try wait("hosts are welcome") { hostsReady == plan.hosts }
        guard target.dialect == .heliograph else { return }
        for index in sessions.indices {
            let started = #"{"kind":"session.started","at":\#(WallTime.milliseconds),"head":{"agent":{"name":"bench"}}}"#
            queueEvents(Array(started.utf8), first: 1, of: index)
            sessions[index].next = 2
            while sessions[index].next <= events {
                let count = Int64(
                    min(
                        EventTemplate.batchMax, EventTemplate.messageBytesMax / plan.size,
                        events - Int(sessions[index].next) + 1))
                queueEvents(count, of: index)
            }
            try driver.flush(hosts[sessions[index].host])
        }
        try wait("sessions have begun") { sessions.allSatisfy { $0.through == $0.next - 1 } }
    }

    /// Returns when each client is up to date; at most `connecting` connect at a time.
    func gatherClients(connecting: Int, _ eachTurn: () throws(BenchError) -> Void = {}) throws(BenchError) {
        clients.reserveCapacity(plan.clients)
        var (deadline, levelBefore) = (SteadyClock.now + Self.patienceNanoseconds, clientsLevel)
        while clientsLevel < plan.clients {
            let most = clients.count + Self.begunAtOnce
            while clients.count < min(plan.clients, most), clients.count - clientsLevel < connecting {
                clients.append(try driver.open(.client, number: clients.count, token: target.clientToken))
            }
            let now = SteadyClock.now
            try comeBack(at: now)
            if clientsLevel > levelBefore { (deadline, levelBefore) = (now + Self.patienceNanoseconds, clientsLevel) }
            guard now < deadline else {
                let refused =
                    turnedAway == 0 ? "" : "; \(turnedAway) handshakes were refused: the relay's limits may be in the way"
                throw BenchError(
                    .tooSlow, "only \(clientsLevel) of \(plan.clients) clients are level, and no more since a minute\(refused)")
            }
            try eachTurn()
            // There are more clients to connect.
            let isBehind = clients.count == most || (returning.last?.at ?? .max) <= now
            try driver.turn(isBehind ? 0 : 10_000_000, self)
        }
    }

    private func comeBack(at now: Int64) throws(BenchError) {
        var begun = 0
        while begun < Self.begunAtOnce, let next = returning.last, next.at <= now {
            returning.removeLast()
            begun += 1
            clients[next.number] = try driver.open(.client, number: next.number, token: target.clientToken)
        }
    }

    /// Runs turns until the condition is true.
    func wait(_ what: String, until holds: () -> Bool) throws(BenchError) {
        let deadline = SteadyClock.now + Self.patienceNanoseconds
        while !holds() {
            guard SteadyClock.now < deadline else {
                throw BenchError(.tooSlow, "after a minute it is still not so that \(what)")
            }
            try driver.turn(100_000_000, self)
        }
    }

    func becameReady() { hostsReady += 1 }

    func becameLevel() { clientsLevel += 1 }

    func place(of session: String) -> Int? { places[session] }

    // MARK: - Sending

    /// Queues the next events of a session in one message.
    func queueEvents(_ count: Int64, of index: Int) {
        let first = sessions[index].next
        var events: [UInt8] = []
        events.reserveCapacity(Int(count) * (plan.size + 1))
        template.append(first..<first + count, to: &events)
        sessions[index].next += count
        queueEvents(events, first: first, of: index)
    }

    func queueEvents(_ events: [UInt8], first: Int64, of index: Int) {
        let session = sessions[index]
        var message = Array(#"{"type":"events","session":"\#(session.id)","first":\#(first),"events":["#.utf8)
        message.reserveCapacity(message.count + events.count + 2)
        message += events
        message += [UInt8(ascii: "]"), UInt8(ascii: "}")]
        hosts[session.host].queue(message)
    }

    func say(_ link: Link, _ writer: consuming JSONWriter) throws(BenchError) {
        link.queue(writer.finish())
        try driver.flush(link)
    }

    // MARK: - What came

    func opened(_ link: Link) throws(BenchError) {
        guard target.dialect == .heliograph else { return try openedPeer(link) }
        var hello = JSONWriter(type: "hello")
        hello.field("version", ProtocolVersion.current)
        hello.field("software", "heliograph-bench")
        try say(link, hello)
    }

    func turnedAway(_ link: Link, status: Int) throws(BenchError) {
        guard link.role == .client, status == 0 || status == 429 || status == 503 else {
            throw BenchError(.refused, "\(link.name) was refused with HTTP \(status)")
        }
        turnedAway += 1
        let at = SteadyClock.now + .random(in: 0..<Self.retryNanoseconds)
        returning.insert((at, link.number), at: placeOfReturn(at: at))
    }

    /// Fails: accepted peers stay connected, unless a scenario takes the relay away.
    func ended(_ link: Link, _ end: LinkEnd) throws(BenchError) { throw BenchError(.refused, "\(link.name) \(end)") }

    /// True if the scenario takes a relay away and its peers reconnect.
    var outlivesRelays: Bool { false }

    /// Index for a retry at this time, by binary search: a storm has tens of thousands.
    private func placeOfReturn(at: Int64) -> Int {
        var (low, high) = (0, returning.count)
        while low < high {
            let middle = (low + high) / 2
            if returning[middle].at > at { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func received(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        guard target.dialect == .heliograph else { return unsafe try receivedFromPeer(message, on: link, at: now) }
        switch link.role {
        case .client: unsafe try clientReceived(message, on: link, at: now)
        case .host: unsafe try hostReceived(message, on: link, at: now)
        }
    }

    func hostReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        if unsafe message.starts(with: #"{"type":"ack""#) {
            unsafe try acknowledged(message, on: link)
        } else if unsafe message.starts(with: #"{"type":"welcome""#) {
            hostsReady += 1
        } else if unsafe !message.starts(with: #"{"type":"hold""#) {
            throw unsafe Self.unexpected(message, on: link)
        }
    }

    func clientReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        if unsafe message.starts(with: #"{"type":"welcome""#) {
            if epoch.isEmpty {
                let welcome = unsafe try Self.document(message, on: link)
                epoch = try Self.reading(link) { () throws(WireError) in try welcome.object().string("epoch") }
            }
            try subscribe(link)
        } else if unsafe message.starts(with: #"{"type":"snapshot""#) {
            // The snapshot precedes the events; a storm has no time to parse each one.
            guard let seq = unsafe message.number(after: #""seq":"#) else { throw unsafe Self.unexpected(message, on: link) }
            try snapshotCame(through: seq, on: link)
        } else if unsafe message.starts(with: #"{"type":"reply""#) {
            if unsafe message.contains(#""error":{"#) { throw unsafe Self.unexpected(message, on: link) }
        } else if unsafe !message.starts(with: #"{"type":"summary""#), unsafe !message.starts(with: #"{"type":"approval""#) {
            throw unsafe Self.unexpected(message, on: link)
        }
    }

    /// A client's request once it is welcome.
    func subscribe(_ link: Link) throws(BenchError) {
        var message = JSONWriter(type: "subscribe")
        message.field("id", "s")
        message.field("session", sessions[link.number % plan.sessions].id)
        try say(link, message)
    }

    /// Handles the first answer to `subscribe`.
    private func snapshotCame(through seq: Int64, on link: Link) throws(BenchError) {
        let index = link.number % plan.sessions
        guard seq == sessions[index].next - 1 else {
            throw BenchError(.sequence, "\(link.name): its snapshot ends at \(seq), the log at \(sessions[index].next - 1)")
        }
        if sessions[index].prefix.isEmpty {
            sessions[index].prefix = Array(
                #"{"type":"events","session":"\#(sessions[index].id)","epoch":"\#(epoch)","first":"#.utf8)
        }
        becameLevel()
    }

    private func acknowledged(_ message: UnsafeRawBufferPointer, on link: Link) throws(BenchError) {
        // The usual case of one session.
        if plan.sessions == plan.hosts {
            guard let number = unsafe message.number(after: #""through":"#) else {
                throw unsafe Self.unexpected(message, on: link)
            }
            sessions[link.number].through = number
            return
        }
        let bytes = unsafe Array(message)
        let ack = try Self.reading(link) { () throws(WireError) in try MessageToHost(parsing: bytes) }
        guard case .ack(let entries) = ack else { throw unsafe Self.unexpected(message, on: link) }
        for entry in entries {
            guard let index = places[entry.session.rawValue] else { throw unsafe Self.unexpected(message, on: link) }
            sessions[index].through = entry.through
        }
    }

    // MARK: - Peers

    func openedPeer(_ link: Link) throws(BenchError) { throw BenchError(.plan, "only `fanout` can be asked of another server") }

    func receivedFromPeer(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {}

    // MARK: - Reading

    static func unexpected(_ message: UnsafeRawBufferPointer, on link: Link) -> BenchError {
        // A relay that is in use has its limits, which are not measured here.
        if let root = unsafe try? document(message, on: link), let notice = try? Notice(from: root),
            notice.code == ErrorCode.tooMany.rawValue
        {
            let what = "the relay takes no more of \(link.name) (\(notice.message))"
            return BenchError(.refused, "\(what): raise that limit, or name a lower --rate")
        }
        return BenchError(.badMessage, "\(link.name) was sent \(unsafe String(decoding: message.prefix(400), as: UTF8.self))")
    }

    static func document(_ message: UnsafeRawBufferPointer, on link: Link) throws(BenchError) -> JSONValue {
        let bytes = unsafe Array(message)
        return try reading(link) { () throws(WireError) in try JSONDocument(parsing: bytes).root }
    }

    /// Number of events in a message, which have to follow `seen` without a gap.
    static func eventCount(_ message: UnsafeRawBufferPointer, on link: Link, after seen: Int64) throws(BenchError) -> Int64 {
        let value = unsafe try document(message, on: link)
        let (first, count) = try reading(link) { () throws(WireError) in
            (try value.object().integer("first"), try value.array("events").count)
        }
        guard first == seen + 1 else {
            throw BenchError(.sequence, "\(link.name): event \(first) came, \(seen + 1) was to come")
        }
        return Int64(count)
    }

    static func reading<Value>(_ link: Link, _ body: () throws(WireError) -> Value) throws(BenchError) -> Value {
        do { return try body() } catch { throw BenchError(.badMessage, "\(link.name): \(error)") }
    }
}
