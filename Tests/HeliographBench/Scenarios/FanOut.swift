internal import RelayProtocol

/// Hosts make events; every subscriber receives those of its session, and checks them.
final class FanOut: Stage {
    private struct Subscriber {
        var session: Int
        var checker: SequenceChecker
    }

    private var subscribers: [Subscriber] = []
    /// A window for each session; empty in an open loop.
    private var windows: [DeliveryWindow] = []
    /// Time at which each event of the window was sent, by session and number.
    private var sentAt: [[Int64]] = []
    private var pacer: Pacer?
    /// Events sent in all sessions.
    private var sent: Int64 = 0
    private var measureFrom: Int64 = .max
    private var measureTo: Int64 = .max
    private var deliveries = 0
    private var messages = 0
    private var sentMeasured: Int64 = 0
    private var latencies = Latencies()
    /// Streams from each client and the host, for other servers.
    private var clientStreams: [PeerStream]
    private var hostStream: PeerStream

    private var isLive: Bool { plan.durability == .live }

    override init(_ plan: BenchPlan, _ target: BenchTarget) throws(BenchError) {
        hostStream = PeerStream(target.dialect)
        clientStreams = (0..<max(0, plan.clients)).map { _ in PeerStream(target.dialect) }
        try super.init(plan, target)
    }

    func run() throws(BenchError) -> BenchResult {
        guard target.dialect == .heliograph || (plan.hosts == 1 && plan.sessions == 1 && !isLive) else {
            throw BenchError(.plan, "another server than a relay is asked for one host and one session")
        }
        try gatherHosts()
        try gatherClients(connecting: plan.connecting)
        subscribers = (0..<plan.clients).map { number in
            let session = number % plan.sessions
            return Subscriber(session: session, checker: SequenceChecker(next: sessions[session].next, allowsGaps: isLive))
        }
        let start = SteadyClock.now
        measureFrom = start + plan.warmUp.nanoseconds
        measureTo = measureFrom + plan.duration.nanoseconds
        if let rate = plan.rate {
            pacer = Pacer(start: start, perSecond: Int64(rate))
        } else {
            // A dropped event cannot be distinguished from one that has not arrived.
            guard !isLive else { throw BenchError(.plan, "live events need a rate: a window waits for all of them") }
            guard plan.clients >= plan.sessions else { throw BenchError(.plan, "a window needs a client for each session") }
            windows = sessions.indices.map { index in
                let count = (plan.clients - index - 1) / plan.sessions + 1
                return DeliveryWindow(size: plan.window, subscribers: count, from: sessions[index].next - 1)
            }
            sentAt = sessions.map { _ in [Int64](repeating: 0, count: plan.window + 1) }
        }
        try load(until: measureFrom)
        let stopwatch = try Stopwatch(gauge, driver)
        let before = sent
        try load(until: measureTo)
        let use = try stopwatch.stop()
        sentMeasured = sent - before
        try drain()
        return result(use)
    }

    private func load(until end: Int64) throws(BenchError) {
        while case let now = SteadyClock.now, now < end {
            let next = try pacer == nil ? sendWindow(at: now) : sendDue(at: now)
            for host in hosts { try driver.flush(host) }
            try driver.turn(min(next, end) - SteadyClock.now, self)
        }
        // Sends every event that was due, even if this program was late: otherwise the latest ones would be left out.
        if pacer != nil { _ = try sendDue(at: end - 1) }
    }

    /// Sends as much as the windows permit; the next deliveries make room for more.
    private func sendWindow(at now: Int64) throws(BenchError) -> Int64 {
        for index in windows.indices {
            while windows[index].room >= Int64(plan.batch) {
                for number in sessions[index].next..<sessions[index].next + Int64(plan.batch) {
                    sentAt[index][Int(number) % (plan.window + 1)] = now
                }
                try sendEvents(Int64(plan.batch), of: index)
                windows[index].send(Int64(plan.batch))
            }
        }
        return .max
    }

    /// Sends the events that are due, and returns when the next one is. Sessions take turns.
    private func sendDue(at now: Int64) throws(BenchError) -> Int64 {
        guard let pacer else { preconditionFailure("an open loop has a pacer") }
        let batch = Int64(plan.batch)
        while pacer.due(sent) <= now { try sendEvents(batch, of: Int(sent / batch % Int64(plan.sessions))) }
        return pacer.due(sent)
    }

    private func sendEvents(_ count: Int64, of index: Int) throws(BenchError) {
        sent += count
        if target.dialect != .heliograph { return queueForOtherMake(count, of: index) }
        if isLive { return queueDeltas(count, of: index) }
        queueEvents(count, of: index)
    }

    /// Queues live pieces of a message with the same number of bytes; each begins with its number.
    private func queueDeltas(_ count: Int64, of index: Int) {
        for number in sessions[index].next..<sessions[index].next + count {
            let digits = String(number)
            var delta = JSONWriter(type: "deltas")
            delta.field("session", sessions[index].id)
            delta.field("message", "m")
            delta.field("text", digits + String(repeating: "x", count: max(0, plan.size - digits.count)))
            hosts[sessions[index].host].queue(delta.finish())
        }
        sessions[index].next += count
    }

    /// Returns when every subscriber has received what was sent.
    private func drain() throws(BenchError) {
        for host in hosts { try driver.flush(host) }
        if isLive {
            // A dropped event never arrives, so half a second of silence ends the run.
            return try settle()
        }
        let deadline = SteadyClock.now + Self.patienceNanoseconds
        while let late = subscribers.firstIndex(where: { $0.checker.next < sessions[$0.session].next }) {
            guard SteadyClock.now < deadline else {
                let subscriber = subscribers[late]
                throw BenchError(
                    .tooSlow,
                    "client \(late) has events through \(subscriber.checker.next - 1) of \(sessions[subscriber.session].next - 1)"
                )
            }
            try driver.turn(10_000_000, self)
        }
    }

    private func settle() throws(BenchError) {
        var before = -1
        while before != messages {
            before = messages
            let end = SteadyClock.now + 500_000_000
            while SteadyClock.now < end { try driver.turn(end - SteadyClock.now, self) }
        }
    }

    private func result(_ use: Use) -> BenchResult {
        var result = BenchResult(plan: plan, use: use)
        result.sent = sentMeasured
        result.deliveries = deliveries
        result.messages = messages
        result.missed = isLive ? subscribers.reduce(0) { $0 + $1.checker.missed } : nil
        result.latency = latencies.summary()
        return result
    }

    // MARK: - What came

    override func clientReceived(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        guard link.number < subscribers.count else { return unsafe try super.clientReceived(message, on: link, at: now) }
        if unsafe message.starts(with: sessions[subscribers[link.number].session].prefix) {
            unsafe try eventsCame(message, on: link, at: now)
        } else if unsafe message.starts(with: #"{"type":"deltas""#) {
            guard let number = unsafe message.number(after: #""text":""#) else {
                throw unsafe Self.unexpected(message, on: link)
            }
            try came(number...number, on: link, at: now)
        } else if unsafe message.starts(with: #"{"type":"events""#) {
            unsafe try unusualEventsCame(message, on: link, at: now)
        } else if unsafe !message.starts(with: #"{"type":"summary""#) {
            throw unsafe Self.unexpected(message, on: link)
        }
    }

    /// Reads an `events` message of the relay: events of one size, one after the other.
    private func eventsCame(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        let start = sessions[subscribers[link.number].session].prefix.count
        let each = plan.size + 1
        guard let (first, end) = unsafe message.number(at: start), case let events = message.count - end - Self.around,
            events > 0,
            (events + 1) % each == 0
        else { return unsafe try unusualEventsCame(message, on: link, at: now) }
        let count = Int64((events + 1) / each)
        for place in 0..<count {
            let pointer = unsafe message.baseAddress! + end + Self.before + Int(place) * each
            guard unsafe template.number(at: pointer) == first + place else {
                // Either our own event with another number, or not an event of ours.
                return unsafe try unusualEventsCame(message, on: link, at: now)
            }
        }
        try came(first...first + count - 1, on: link, at: now)
    }

    /// `,"events":[` and, with it, `]}`.
    private static let before = 11
    private static let around = 13

    /// Parses any spelling of `events`; also the one place where errors are reported.
    private func unusualEventsCame(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        let value = unsafe try Self.document(message, on: link)
        let (first, events) = try Self.reading(link) { () throws(WireError) in
            (try value.object().integer("first"), try value.array("events"))
        }
        for (place, event) in events.enumerated() {
            let bytes = Array(event.bytes)
            let number =
                bytes.count == plan.size ? unsafe bytes.withUnsafeBytes { unsafe template.number(at: $0.baseAddress!) } : nil
            guard let number else { throw unsafe Self.unexpected(message, on: link) }
            guard number == first + Int64(place) else {
                throw BenchError(.sequence, "\(link.name): event \(number) came as number \(first + Int64(place))")
            }
            try came(number...number, on: link, at: now)
        }
    }

    override func openedPeer(_ link: Link) throws(BenchError) { try openedOtherMake(link) }

    override func receivedFromPeer(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError) {
        guard link.role == .client else {
            // nchan's messages to the publisher are ignored.
            if target.dialect == .plain { return }
            unsafe hostStream.feed(message)
            while let item = try hostStream.next() { try took(item, on: link) }
            return
        }
        unsafe clientStreams[link.number].feed(message)
        while let item = try clientStreams[link.number].next() {
            guard case .event(let range) = item else {
                try took(item, on: link)
                continue
            }
            let number = unsafe clientStreams[link.number].bytes.withUnsafeBytes { bytes in
                range.count == plan.size ? unsafe template.number(at: bytes.baseAddress! + range.lowerBound) : nil
            }
            guard let number else { throw unsafe Self.unexpected(message, on: link) }
            try came(number...number, on: link, at: now)
        }
    }

    /// Takes consecutive numbers from one message.
    private func came(_ numbers: ClosedRange<Int64>, on link: Link, at now: Int64) throws(BenchError) {
        let index = subscribers[link.number].session
        let before = subscribers[link.number].checker.next - 1
        if let fault = subscribers[link.number].checker.take(numbers) {
            throw BenchError(.sequence, "\(link.name), \(sessions[index].id): \(fault)")
        }
        guard numbers.upperBound < sessions[index].next else {
            throw BenchError(.sequence, "\(link.name): event \(numbers.upperBound) came before it was sent")
        }
        messages += 1
        if let pacer {
            for number in numbers { record(due: pacer.due(place(of: number, in: index)), at: now) }
            return
        }
        if now >= measureFrom, now < measureTo {
            let count = numbers.count
            deliveries += count
            // Recorded for the oldest event only: none waited longer.
            latencies.record(nanoseconds: now - sentAt[index][Int(numbers.lowerBound) % (plan.window + 1)], count: count)
        }
        windows[index].move(from: before, to: numbers.upperBound)
    }

    private func record(due: Int64, at now: Int64) {
        guard due >= measureFrom, due < measureTo else { return }
        deliveries += 1
        latencies.record(nanoseconds: now - due)
    }

    /// Position of a session's event among all events: its whole message was due with the first of them.
    private func place(of number: Int64, in index: Int) -> Int64 {
        let message = (number - firstNumber) / Int64(plan.batch)
        return (message * Int64(plan.sessions) + Int64(index)) * Int64(plan.batch)
    }

    /// Number of the first event of the load; the session's beginning precedes it.
    private var firstNumber: Int64 { target.dialect == .heliograph ? 2 : 1 }
}
