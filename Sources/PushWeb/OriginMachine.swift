internal import HeliographHTTP2
internal import HeliographPlatform

/// Everything that is sent to one push service: the requests that wait or are in flight, the token that signs them, and the one
/// connection that carries them.
///
/// Pure: clock and dice are arguments, effects are orders. A fact about an old connection concerns only the requests in flight on
/// it.
struct OriginMachine {
    enum Input {
        /// `number` has not been used before.
        case submitted(number: Int, WebPushRequest)
        case connected(generation: Int, streamsMax: Int)
        case goAwayReceived(generation: Int)
        case answered(Int, WebPushAnswer)
        case streamEnded(Int, HTTP2StreamEnd)
        /// The request cannot be encrypted, or one of its headers cannot be sent.
        case unsendable(Int)
        case closed(generation: Int, HTTP2CloseReason)
        case signed(String)
        case timePassed
        /// The caller withdrew the push. A request under way is not repeated.
        case withdrawn(Int)
        case stopped
    }

    enum Effect: Equatable {
        case connect(generation: Int)
        /// Close the connection once the requests in flight on it are answered, within limits.
        case close(generation: Int)
        /// Sign a token that expires then; the input `signed` follows.
        case sign(expiresAt: Int64)
        case send(WebPushAttempt, generation: Int, token: String, secondsToLive: Int, deadline: MonotonicTime)
        case finish(number: Int, WebPushOutcome)
    }

    struct Flight {
        var attempt: WebPushAttempt
        var generation: Int
        var tokenSerial: Int
    }

    let limits: WebPushLimits
    /// True if requests carry a token of ours.
    private let isSigned: Bool
    private var dice: Dice
    private var effects: [Effect] = []

    // Requests: each waits in the queue of its endpoint or is in flight.
    private var queues: [WebPushEndpoint: EndpointQueue] = [:]
    /// Endpoints with a request to send, in the order in which they got it.
    private var ready: [WebPushEndpoint] = []
    private var flights: [Int: Flight] = [:]
    private(set) var waitingCount = 0

    private(set) var link = OriginLink()
    /// The last obstacle, as a sentence.
    private(set) var trouble: String?

    // Restraint.
    private var tokens = VAPIDTokenMachine()
    private var restraint = Restraint()
    /// Nothing is due before this time.
    private(set) var wakeAt: MonotonicTime?
    private var isStopped = false

    init(limits: WebPushLimits = WebPushLimits(), isSigned: Bool = true, seed: UInt64) {
        self.limits = limits
        self.isSigned = isSigned
        dice = Dice(seed: seed)
    }

    var flyingCount: Int { flights.count }
    /// True if no request is lost when this is dropped to make room for another origin.
    var isUnused: Bool { waitingCount == 0 && flights.isEmpty && link.isUnused }
    var barredReason: String? { restraint.barredReason }

    // MARK: Events

    mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        switch input {
        case .submitted(let number, let request): submitted(WebPushAttempt(number: number, request, at: now.instant), now)
        case .connected(let generation, let streamsMax):
            link.connected(generation, streamsMax: streamsMax, now.instant)
            wake(by: now.instant + limits.idleMax)
        case .goAwayReceived(let generation):
            // The server may still answer the requests that it has received; the others come back as refused streams.
            if generation == link.generation { retire(now, isFailure: !link.isProven) }
        case .answered(let number, let answer):
            if let flight = land(number, now) { answered(flight, answer, now) }
        case .streamEnded(let number, let end):
            if let flight = land(number, now) { streamEnded(flight, end, now) }
        case .unsendable(let number):
            if let flight = land(number, now) { finish(flight.attempt, .notSent(.invalidRequest)) }
        case .closed(let generation, let reason): closed(generation, reason, now)
        case .signed(let text): tokens.signed(text, at: now)
        case .timePassed: timePassed(now)
        case .withdrawn(let number): withdrawn(number)
        case .stopped: stopped()
        }
        pump(now)
        let effects = effects
        self.effects.removeAll(keepingCapacity: true)
        return effects
    }

    private mutating func submitted(_ attempt: WebPushAttempt, _ now: Moment) {
        if isStopped { return finish(attempt, .notSent(.stopped)) }
        let endpoint = attempt.endpoint
        var queue = queues[endpoint] ?? EndpointQueue()
        if let backOff = queue.backOffUntil, backOff >= attempt.until {
            return finish(attempt, .notSent(.patienceOver("the push service asked to wait longer than that")))
        }
        let superseded = queue.append(attempt)
        let isRoom = waitingCount + flights.count < limits.requestsMax && queue.waiting.count <= limits.endpointRequestsMax
        guard isRoom || !superseded.isEmpty else { return finish(attempt, .notSent(.queueFull)) }
        waitingCount += 1 - superseded.count
        for old in superseded { finish(old, .notSent(.superseded)) }
        queues[endpoint] = queue
        makeReady(endpoint)
        wake(by: attempt.until)
    }

    private mutating func withdrawn(_ number: Int) {
        flights[number]?.attempt.isWithdrawn = true
        guard let endpoint = queues.first(where: { $0.value.waiting.contains { $0.number == number } })?.key else { return }
        let attempts = queues[endpoint]!.remove { $0.number == number }
        waitingCount -= attempts.count
        for attempt in attempts { finish(attempt, attempt.givenUp(.withdrawn)) }
        makeReady(endpoint)
    }

    private mutating func closed(_ generation: Int, _ reason: HTTP2CloseReason, _ now: Moment) {
        link.closed(generation)
        guard generation == link.generation else { return }
        if reason != .here { trouble = reason.sentence }
        retire(now, isFailure: !link.isProven)
    }

    private mutating func timePassed(_ now: Moment) {
        wakeAt = nil
        restraint.timePassed(now.instant)
        if link.timePassed(limits, now.instant) { retire(now, isFailure: false) }
        // Sorted by request, so that the same facts give the same effects.
        let endpoints = queues.map { (endpoint: $0.key, number: $0.value.waiting.first?.number ?? 0) }
        for (endpoint, _) in endpoints.sorted(by: { $0.number < $1.number }) {
            queues[endpoint]!.release(at: now.instant)
            let late = queues[endpoint]!.remove { $0.until <= now.instant }
            waitingCount -= late.count
            for attempt in late { giveUp(attempt) }
            makeReady(endpoint)
        }
        rearm()
    }

    private mutating func stopped() {
        isStopped = true
        for generation in link.generations { effects.append(.close(generation: generation)) }
        let waiting = queues.values.flatMap(\.waiting).sorted { $0.number < $1.number }
        for attempt in waiting { finish(attempt, attempt.givenUp(.stopped)) }
        for flight in flights.values.sorted(by: { $0.attempt.number < $1.attempt.number }) {
            finish(flight.attempt, .unknown(flight.attempt.uncertainty ?? .connectionLost))
        }
        (queues, ready, flights, waitingCount) = ([:], [], [:], 0)
        link.stop()
    }

    // MARK: Sending

    private mutating func pump(_ now: Moment) {
        guard !isStopped, !ready.isEmpty else { return }
        if let reason = restraint.barredReason { return refuseAll(.breakerOpen(reason)) }
        if link.state == .idle {
            link.begin()
            return effects.append(.connect(generation: link.generation))
        }
        while link.hasRoom(limits), let index = nextReady {
            guard isSigned else {
                send(ready.remove(at: index), VAPIDTokenMachine.none, now)
                continue
            }
            switch tokens.answer(at: now) {
            case .use(let token): send(ready.remove(at: index), token, now)
            case .sign(let expiresAt): return effects.append(.sign(expiresAt: expiresAt))
            case .signing: return
            }
        }
    }

    /// Index of the next endpoint: urgent requests first; the order within an endpoint is kept.
    private var nextReady: Int? {
        ready.firstIndex { queues[$0]?.next(limits)?.isUrgent ?? false } ?? ready.indices.first
    }

    private mutating func send(_ endpoint: WebPushEndpoint, _ token: VAPIDTokenMachine.Token, _ now: Moment) {
        guard var attempt = queues[endpoint]?.takeNext(limits) else {
            preconditionFailure("an endpoint is ready without a request")
        }
        makeReady(endpoint)
        waitingCount -= 1
        link.took()
        attempt.attempts += 1
        flights[attempt.number] = Flight(attempt: attempt, generation: link.generation, tokenSerial: token.serial)
        let deadline = min(now.instant + limits.answerDeadline, max(attempt.until, now.instant + limits.answerDeadlineMin))
        effects.append(
            .send(
                attempt, generation: link.generation, token: token.text, secondsToLive: attempt.secondsToLive(at: now.instant),
                deadline: deadline))
    }

    private mutating func refuseAll(_ obstacle: WebPushObstacle) {
        for endpoint in ready {
            let waiting = queues[endpoint]?.remove { _ in true } ?? []
            waitingCount -= waiting.count
            for attempt in waiting { finish(attempt, attempt.givenUp(obstacle)) }
            forgetIfEmpty(endpoint)
        }
        ready = []
    }

    /// Removes a request from its connection. An old connection with no more requests is closed.
    private mutating func land(_ number: Int, _ now: Moment) -> Flight? {
        guard let flight = flights.removeValue(forKey: number) else { return nil }
        queues[flight.attempt.endpoint]?.landed(flight.attempt)
        makeReady(flight.attempt.endpoint)
        if link.landed(flight.generation, now.instant) { effects.append(.close(generation: flight.generation)) }
        wake(by: now.instant + limits.idleMax)
        return flight
    }

    /// Updates the endpoint's entry in `ready` after any change to its queue, and forgets an endpoint with an empty queue.
    private mutating func makeReady(_ endpoint: WebPushEndpoint) {
        let isListed = ready.contains(endpoint)
        if queues[endpoint]?.next(limits) != nil {
            if !isListed { ready.append(endpoint) }
        } else if isListed {
            ready.removeAll { $0 == endpoint }
        }
        forgetIfEmpty(endpoint)
    }

    private mutating func forgetIfEmpty(_ endpoint: WebPushEndpoint) {
        if queues[endpoint]?.isEmpty ?? false { queues[endpoint] = nil }
    }

    // MARK: Answers

    private mutating func answered(_ flight: Flight, _ answer: WebPushAnswer, _ now: Moment) {
        let attempt = flight.attempt
        link.answered(flight.generation)
        switch answer.remedy {
        case .none:
            restraint.accepted(attempt.endpoint)
            trouble = nil
            finish(attempt, .accepted(status: answer.status))
        case .fixRequest: refused(attempt, answer, .fixRequest)
        case .subscribeAnew: refused(attempt, answer, .subscribeAnew)
        case .fixToken: refused(attempt, answer, .fixCredentials)
        case .drop: refused(attempt, answer, .dropSubscription)
        case .watch:
            let isSecond = restraint.missed(attempt.endpoint, limits, now.instant) > 1
            refused(attempt, answer, isSecond ? .dropSubscription : .keepSubscription)
        case .fixCredentials: credentialsRefused(flight, answer, now)
        case .slowDown: slowDown(attempt, answer, now)
        case .retryLater: serverFailed(attempt, answer, now)
        }
    }

    private mutating func refused(_ attempt: WebPushAttempt, _ answer: WebPushAnswer, _ advice: WebPushAdvice) {
        restraint.knownToServer()
        finish(attempt, .refused(answer.refusal, advice))
    }

    private mutating func credentialsRefused(_ flight: Flight, _ answer: WebPushAnswer, _ now: Moment) {
        var attempt = flight.attempt
        if !attempt.isTokenRenewed, tokens.refused(serial: flight.tokenSerial, at: now) {
            attempt.isTokenRenewed = true
            attempt.refusal = answer.refusal
            return again(attempt, after: .zero, now)
        }
        finish(attempt, .refused(answer.refusal, .fixCredentials))
        let reason = answer.text.isEmpty ? "\(answer.status)" : answer.text
        guard restraint.credentialsRefused(reason, limits, now.instant, dice: dice.next()) else { return }
        trouble = "the push service refuses our token: \(reason)"
        if let until = restraint.barredUntil { wake(by: until) }
        retire(now, isFailure: false)
    }

    private mutating func slowDown(_ attempt: WebPushAttempt, _ answer: WebPushAnswer, _ now: Moment) {
        var attempt = attempt
        attempt.refusal = answer.refusal
        restraint.knownToServer()
        // Waits as long as the service says, by default as long as Google asks for.
        let wait = max(backoff(attempt), min(answer.retryAfter ?? limits.slowDownWait, limits.retryAfterMax))
        // Without our token a server limits each person, so that several limited endpoints say nothing about the others.
        if isSigned, restraint.slowedDown(attempt.endpoint, limits) { leaveAlone(for: wait, now) }
        again(attempt, after: wait, now)
    }

    private mutating func serverFailed(_ attempt: WebPushAttempt, _ answer: WebPushAnswer, _ now: Moment) {
        var attempt = attempt
        attempt.refusal = answer.refusal
        let excess = restraint.serverFailed(limits)
        // Other requests wait as well: a server with errors recovers sooner under less load.
        if excess > 0 { leaveAlone(for: dice.backoff(limits.backoffBase, doubled: excess, max: limits.backoffMax), now) }
        again(attempt, after: max(backoff(attempt), min(answer.retryAfter ?? .zero, limits.retryAfterMax)), now)
    }

    private mutating func streamEnded(_ flight: Flight, _ end: HTTP2StreamEnd, _ now: Moment) {
        let attempt = flight.attempt
        let isHere = flight.generation == link.generation
        // The end of a connection is reported after its streams; nothing more may be sent on it in between.
        if case .connectionLost = end, isHere { retire(now, isFailure: !link.isProven) }
        switch end {
        case .reset(.refusedStream), .connectionLost(wasSent: false):
            // The first retry is at once, because most often it was bad luck.
            again(attempt, after: attempt.attempts > 1 ? backoff(attempt) : .zero, now)
        case .connectionLost(wasSent: true): lost(attempt, .connectionLost, now)
        case .deadlinePassed:
            // The server is slow, or the connection is dead.
            if isHere { retire(now, isFailure: !link.isProven) }
            lost(attempt, .timedOut, now)
        case .reset(let code): lost(attempt, .reset("reset by the server: \(code)"), now)
        case .resetHere(let code): lost(attempt, .reset("the answer broke HTTP: \(code)"), now)
        case .tooLarge: lost(attempt, .reset("the answer was too large"), now)
        case .answered: preconditionFailure("an answer is told with its message")
        }
    }

    /// The outcome is unknown. A repeated push would be shown twice, unless both have the same topic.
    private mutating func lost(_ attempt: WebPushAttempt, _ uncertainty: WebPushUncertainty, _ now: Moment) {
        var attempt = attempt
        attempt.uncertainty = uncertainty
        guard attempt.topic != nil else { return finish(attempt, .unknown(uncertainty)) }
        again(attempt, after: backoff(attempt), now)
    }

    /// Schedules another attempt, unless the request is obsolete. Later requests to the same endpoint wait as well.
    private mutating func again(_ attempt: WebPushAttempt, after wait: Duration, _ now: Moment) {
        let (endpoint, end) = (attempt.endpoint, now.instant + wait)
        var queue = queues[endpoint] ?? EndpointQueue()
        if wait > .zero, queues.count < limits.endpointsMax {
            queue.backOff(until: end)
            wake(by: end)
        }
        let isWorthIt = !attempt.isWithdrawn && attempt.attempts < limits.attemptsMax && end < attempt.until
        let isBack = isWorthIt && queue.putBack(attempt)
        // Requests that would expire first are given up now, so that their caller can act.
        let late = queue.remove { $0.until <= end && wait > .zero }
        queues[endpoint] = queue
        waitingCount += (isBack ? 1 : 0) - late.count
        for attempt in late { giveUp(attempt) }
        makeReady(endpoint)
        if attempt.isWithdrawn {
            finish(attempt, attempt.givenUp(.withdrawn))
        } else if !isWorthIt {
            giveUp(attempt)
        } else if !isBack {
            finish(attempt, attempt.givenUp(.superseded))
        }
    }

    private mutating func backoff(_ attempt: WebPushAttempt) -> Duration {
        dice.backoff(limits.backoffBase, doubled: attempt.attempts, max: limits.backoffMax)
    }

    private mutating func giveUp(_ attempt: WebPushAttempt) { finish(attempt, attempt.givenUp(.patienceOver(trouble))) }

    private mutating func finish(_ attempt: WebPushAttempt, _ result: WebPushOutcome.Result) {
        effects.append(.finish(number: attempt.number, WebPushOutcome(result, attempts: attempt.attempts)))
    }

    // MARK: The connection

    /// Sends nothing more on the current connection. With `isFailure` it was of no use, and the next one is delayed.
    private mutating func retire(_ now: Moment, isFailure: Bool) {
        let failures = link.failures
        if let unused = link.retire(isFailure: isFailure) { effects.append(.close(generation: unused)) }
        guard link.failures > failures else { return }
        pause(for: dice.backoff(limits.connectBackoffBase, doubled: link.failures, max: limits.connectBackoffMax), now)
    }

    private mutating func leaveAlone(for wait: Duration, _ now: Moment) {
        retire(now, isFailure: false)
        pause(for: wait, now)
    }

    private mutating func pause(for wait: Duration, _ now: Moment) {
        link.pause(until: now.instant + wait)
        wake(by: now.instant + wait)
    }

    // MARK: Time

    private mutating func wake(by instant: MonotonicTime) { wakeAt = min(wakeAt ?? instant, instant) }

    /// Sets the next wake-up, after everything has been looked at.
    private mutating func rearm() {
        if let until = restraint.barredUntil { wake(by: until) }
        if let until = link.dueAt(limits) { wake(by: until) }
        for queue in queues.values {
            if let until = queue.backOffUntil { wake(by: until) }
            if let until = queue.firstEnd { wake(by: until) }
        }
    }
}
