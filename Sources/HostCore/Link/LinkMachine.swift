package import HeliographLink
package import RelayProtocol

/// The connection to the relay: connects, says hello, sends spooled events, receives acknowledgements and decisions.
///
/// A session's events are sent only once the relay has reported how far it has the session: after the `hello` that begins a
/// connection, or after another one (`nextQuestion`) for a session that came up later.
///
/// Pure: the clock and the dice are arguments, the spool's index is lent.
package struct LinkMachine {
    package enum Input {
        case started
        case retry
        case opened
        case welcomeOverdue
        case received(MessageToHost)
        /// The connection ended. `dice`: a random number between 0 and 1, for the jitter.
        case closed(LinkEnd, dice: Double)
        case resendDue
        /// Events to be sent could not be read: sending starts again from the first that is not acknowledged.
        case sendAgain
    }

    package enum Effect: Equatable {
        case connect
        case send(HostMessageBytes)
        case close(UInt16)
        case retryAfter(Duration)
        case expectWelcome(within: Duration)
        case resendAfter(Duration)
        /// The relay has the session's events on disk through this number.
        case acknowledge(SessionID, through: Int64)
        /// The relay will never take this event.
        case drop(SessionID, seq: Int64)
        /// Another host has a session of this name: the relay accepts none of our events for it.
        case nameTaken(SessionID)
        case decide(SessionID, ApprovalID, InputDigest, Decision)
        /// All holds of this host from now on.
        case hold(Holds)
        case steer(SteeringRequest)
        case withdraw(SessionID, SteeringName)
        case outstanding(SessionID, [SteeringName])
        case letter(Letter, from: Named<ClientTag>)
        case screen(ScreenCall)
        case linkChanged(isLive: Bool)
        case log(LinkLog)
    }

    /// A message to the relay in its encoding.
    package typealias HostMessageBytes = [UInt8]

    /// The connection's state. `up`: events flow. `over`: the relay reported that another process has our place.
    package var state: ReconnectMachine.State { reconnect.state }
    /// The heartbeat that the relay announced; the next connection waits as long.
    package private(set) var heartbeat: Heartbeat?
    package var isLive: Bool { state == .up }
    /// False once an older relay has reported that it does not know the output of running tools.
    package private(set) var takesOutput = true

    private var limits: LinkLimits
    private let software: String
    let name: String?
    private let capabilities: Set<Capability>
    private let key: HostKeyID?
    private var reconnect: ReconnectMachine
    /// This connection's number: greater than every earlier one's, also in an earlier process unless the clock was set back.
    private var attempt: Int64 = 0
    /// Time since which the connection is up.
    private var liveSince: HostInstant?
    /// Last number sent on this connection, by session.
    private var sentThrough: [SessionID: Int64] = [:]
    private var inFlight: [Flight] = []
    /// Sessions named in a `hello` of this connection.
    private var asked: Set<SessionID> = []
    /// Sessions whose names were taken on this connection: each is logged once.
    private var taken: Set<SessionID> = []
    /// Sessions for which the relay accepts no more events, until it is asked again.
    private var parked: Set<SessionID> = []
    /// True while a `resendAfter` is ordered that has not fired; one serves all sessions.
    private var isResendDue = false
    /// True if the relay can store nothing, until it is asked again.
    private var isDiskAway = false
    /// Events still to be sent one by one, because the relay refused a message; nil if none was refused.
    private var carefulLeft: Int?

    private struct Flight {
        var session: SessionID
        var first: Int64
        var last: Int64
        var bytes: Int
    }

    /// `key` identifies the host's keys; clients address letters to it.
    package init(
        software: String, name: String?, capabilities: Set<Capability> = [.hold], key: HostKeyID? = nil,
        limits: LinkLimits = LinkLimits()
    ) {
        self.software = software
        self.name = name
        self.capabilities = capabilities
        self.key = key
        self.limits = limits
        reconnect = ReconnectMachine(limits.reconnect)
    }

    /// Reduces the limits, because events are sealed, and so longer, from here on.
    mutating func seal() { limits.seal() }

    // MARK: Events in the order of life

    package mutating func handle(_ input: Input, index: SpoolIndex, active: [SessionID], at now: HostInstant) -> [Effect] {
        switch (input, state) {
        case (.started, .idle), (.started, .waiting), (.retry, .waiting): return reconnect.begin() ? [.connect] : []
        case (.opened, .connecting):
            reconnect.opened()
            asked = []
            attempt = max(attempt + 1, now.wall)
            return [.send(hello(Self.sessions(of: index, active))), .expectWelcome(within: limits.welcomeWithin)]
        case (.welcomeOverdue, .greeting): return [.close(CloseCode.timedOut.rawValue)]
        case (.closed(let reason, let dice), .connecting), (.closed(let reason, let dice), .greeting),
            (.closed(let reason, let dice), .up):
            return closed(reason, dice: dice, at: now)
        case (.received(let message), .greeting):
            guard case .welcome(let welcome, _, let sessions) = message else { return other(message) }
            return welcomed(welcome, sessions, at: now)
        case (.received(let message), .up): return received(message, index)
        case (.resendDue, _):
            isResendDue = false
            guard isLive else { return [] }
            isDiskAway = false
            parked = []
            resend { _ in true }
            asked = []
            return []
        case (.sendAgain, .up):
            resend { _ in true }
            asked = []
            return []
        // Timers of a connection that has ended, and a second `started`, are ignored.
        default: return []
        }
    }

    private mutating func welcomed(_ welcome: Welcome, _ sessions: [SessionProgress], at now: HostInstant) -> [Effect] {
        reconnect.welcomed()
        liveSince = now
        takesOutput = true
        heartbeat = welcome.heartbeat
        sentThrough = [:]
        inFlight = []
        taken = []
        return told(sessions) + [.linkChanged(isLive: true), .log(.connected(relay: welcome.software))]
    }

    /// Takes over the relay's positions of the named sessions; 0 for sessions that it does not have.
    private mutating func told(_ sessions: [SessionProgress]) -> [Effect] {
        for progress in sessions { sentThrough[progress.session] = progress.through }
        return sessions.map { .acknowledge($0.session, through: $0.through) }
    }

    private mutating func received(_ message: MessageToHost, _ index: SpoolIndex) -> [Effect] {
        switch message {
        case .ack(let acks):
            for ack in acks { land(ack.session, through: ack.through) }
            return acks.map { .acknowledge($0.session, through: $0.through) }
        case .resend(let session, let from):
            inFlight.removeAll { $0.session == session }
            sentThrough[session] = from - 1
            return []
        case .decision(let session, let approval, let digest, let decision):
            return [.decide(session, approval, digest, decision)]
        case .hold(let holds): return [.hold(holds)]
        case .notice(let notice): return noticed(notice)
        // Sessions whose events are already being sent are skipped: their positions are known.
        case .welcome(_, _, let sessions): return told(sessions.filter { !index.isAgreed($0.session) })
        case .steer(let request): return [.steer(request)]
        case .withdraw(let session, let name): return [.withdraw(session, name)]
        case .outstanding(let session, let names): return [.outstanding(session, names)]
        case .letter(let letter, let client): return [.letter(letter, from: client)]
        case .screen(let call): return [.screen(call)]
        }
    }

    private mutating func noticed(_ notice: Notice) -> [Effect] {
        var effects: [Effect] = [.log(.notice(code: notice.code))]
        if notice.code == ErrorCode.unavailable.rawValue {
            isDiskAway = true
            effects += resendLater()
        } else if notice.code == ErrorCode.tooMany.rawValue, notice.path == "$.session", let session = notice.session,
            let seq = notice.seq
        {
            if inFlight.contains(where: { $0.session == session && ($0.first...$0.last).contains(seq) }) {
                effects += [.drop(session, seq: seq), .log(.dropped(session, code: notice.code))]
                resend { $0.session == session }
            }
        } else if notice.code == ErrorCode.tooMany.rawValue, notice.path == "$.session" {
            if let session = notice.session {
                parked.insert(session)
                resend { $0.session == session }
            }
            effects += resendLater()
        } else if notice.code == ErrorCode.notFound.rawValue, let session = notice.session {
            effects = nameTaken(session)
        } else if notice.code == WireError.Code.unknownType.rawValue {
            // Every relay knows events, so this notice refuses none of them.
            takesOutput = false
        } else if Self.refusesEvents(notice), let flight = inFlight.first {
            // The notice does not say which message was refused: from now on only one is sent at a time.
            if carefulLeft != nil, flight.first == flight.last {
                effects += [.drop(flight.session, seq: flight.first), .log(.dropped(flight.session, code: notice.code))]
                sentThrough[flight.session] = flight.first - 1
                inFlight.removeFirst()
            } else {
                resend { _ in true }
            }
            carefulLeft = limits.carefulEvents
        }
        return effects
    }

    /// Handles the refusal of one message's session; each message under way is refused by itself. Other sessions go on.
    private mutating func nameTaken(_ session: SessionID) -> [Effect] {
        guard let place = inFlight.firstIndex(where: { $0.session == session }) else { return [] }
        let flight = inFlight.remove(at: place)
        let drops = (flight.first...flight.last).map { Effect.drop(session, seq: $0) }
        let log: [Effect] = taken.insert(session).inserted ? [.log(.nameTaken(session))] : []
        return log + drops + [.nameTaken(session)]
    }

    private mutating func resendLater() -> [Effect] {
        guard !isResendDue else { return [] }
        isResendDue = true
        return [.resendAfter(limits.resendAfter)]
    }

    private static func refusesEvents(_ notice: Notice) -> Bool {
        WireError.Code(rawValue: notice.code) != nil || notice.code == ErrorCode.notFound.rawValue
    }

    private mutating func closed(_ reason: LinkEnd, dice: Double, at now: HostInstant) -> [Effect] {
        var effects: [Effect] = []
        if let since = liveSince {
            if now - since >= limits.steadyAfter { reconnect.proven() }
            effects.append(.linkChanged(isLive: false))
        }
        liveSince = nil
        sentThrough = [:]
        inFlight = []
        parked = []
        isDiskAway = false
        if case .peer(CloseCode.replaced.rawValue?, _) = reason {
            reconnect.end()
            return effects + [.log(.replaced)]
        }
        guard case .retry(let wait) = reconnect.closed(reason, jitter: dice) else {
            preconditionFailure("a host comes back from everything but its replacement")
        }
        // Logged once for each outage, and at each refusal, which a person has to resolve.
        if reconnect.failures == 1 || limits.reconnect.refused.map({ wait >= $0 }) == true {
            effects.append(.log(.disconnected(reason, retryAfter: wait)))
        }
        return effects + [.retryAfter(wait)]
    }

    private func other(_ message: MessageToHost) -> [Effect] {
        switch message {
        case .notice(let notice): [.log(.notice(code: notice.code))]
        default: []
        }
    }

    // MARK: Sending

    /// A `hello` that asks for the relay's positions of sessions that got events since the last one, before these are sent: the
    /// relay may know a position better than we do. Nil if there is nothing to ask.
    package mutating func nextQuestion(_ index: SpoolIndex) -> HostMessageBytes? {
        guard isLive else { return nil }
        let unknown = index.sessions.keys.filter {
            !index.isAgreed($0) && !asked.contains($0) && index.sessions[$0]?.entries.isEmpty == false
        }
        guard !unknown.isEmpty else { return nil }
        return hello(Array(unknown.sorted { $0.rawValue < $1.rawValue }.prefix(WireLimits.helloSessionsMax)))
    }

    private mutating func hello(_ sessions: [SessionID]) -> HostMessageBytes {
        asked.formUnion(sessions)
        return HostMessage.hello(
            Hello(software: software, name: name, capabilities: capabilities, sessions: sessions, attempt: attempt, key: key)
        ).bytes
    }

    /// The events of the next message, if the window has room. The caller sends them and asks again.
    package mutating func nextBatch(_ index: SpoolIndex) -> SpoolIndex.Batch? {
        guard isLive, !isDiskAway else { return nil }
        let isCareful = carefulLeft != nil
        let windowMessages = isCareful ? 1 : limits.windowMessages
        let flying = inFlight.reduce(0) { $0 + $1.bytes }
        guard inFlight.count < windowMessages, flying < limits.windowBytes else { return nil }
        let countMax = isCareful ? 1 : WireLimits.batchEventsMax
        // Sessions are taken in the order of their names: any order does, and this one is repeatable in tests.
        for id in index.sessions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let session = index.sessions[id], !session.entries.isEmpty, index.isAgreed(id), !parked.contains(id) else {
                continue
            }
            let sent = sentThrough[id] ?? session.acknowledged
            guard let batch = index.batch(id, after: sent, countMax: countMax, bytesMax: limits.batchBytes) else { continue }
            // The relay accepts events after a gap even if those before it are missing, so these must be acknowledged, or refused,
            // first.
            if batch.isAfterGap, inFlight.contains(where: { $0.session == id }) { continue }
            sentThrough[id] = batch.last
            inFlight.append(Flight(session: id, first: batch.first, last: batch.last, bytes: batch.bytes))
            return batch
        }
        return nil
    }

    private mutating func land(_ session: SessionID, through: Int64) {
        let landed = inFlight.filter { $0.session == session && $0.last <= through }
        inFlight.removeAll { $0.session == session && $0.last <= through }
        // The relay has more than was sent: the spool is about to number our events anew after it.
        if through > sentThrough[session] ?? 0 { sentThrough[session] = through }
        if let left = carefulLeft {
            let count = landed.reduce(0) { $0 + Int($1.last - $1.first) + 1 }
            carefulLeft = left > count ? left - count : nil
        }
    }

    /// Sends all events of these messages again, from the first that is not acknowledged.
    private mutating func resend(_ isMeant: (Flight) -> Bool) {
        for flight in inFlight.reversed() where isMeant(flight) { sentThrough[flight.session] = flight.first - 1 }
        inFlight.removeAll(where: isMeant)
    }

    /// Names the sessions with waiting events first; the relay reports its position for each.
    private static func sessions(of index: SpoolIndex, _ active: [SessionID]) -> [SessionID] {
        let pending = index.sessions.filter { !$0.value.entries.isEmpty }.keys.sorted { $0.rawValue < $1.rawValue }
        let others = active.filter { index.sessions[$0]?.entries.isEmpty == true }
        return Array((pending + others).prefix(WireLimits.helloSessionsMax))
    }
}
