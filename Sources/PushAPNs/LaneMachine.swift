internal import ChannelAPNs
internal import HeliographHTTP2
internal import HeliographPlatform

/// Everything that is sent to one host for one team: the requests that wait or are in flight, and the one connection that carries
/// them.
///
/// Pure: clock and dice are arguments, effects are orders. A connection has a number, its generation; a fact about an old one
/// concerns only the requests in flight on it.
struct LaneMachine {
    enum Link: Equatable {
        /// No connection, and none is needed. Becomes connecting.
        case idle
        /// Waits for SETTINGS. Becomes proving, or pausing.
        case connecting
        /// Sends one request at a time, until one was answered other than by a refusal of our credentials: APNs allows one stream
        /// to a client that it has not authenticated. Becomes open, checking, idle or pausing.
        case proving
        /// Sends as many requests as the server allows. Becomes checking, idle or pausing.
        case open
        /// Waits for the answer to a PING, and sends nothing else. Becomes proving or open by the answer, else idle.
        case checking(wasOpen: Bool, until: MonotonicTime)
        /// Does not connect for a while. Becomes connecting when there is a request.
        case pausing(until: MonotonicTime)
    }

    enum Input {
        case submitted(LaneRequest)
        case settingsReceived(generation: Int, streamsMax: Int)
        case goAwayReceived(generation: Int, reason: String?)
        case pingAnswered(generation: Int)
        case answered(Int, APNsAnswer)
        case streamEnded(Int, HTTP2StreamEnd)
        /// One of its headers cannot be sent.
        case unsendable(Int)
        case closed(generation: Int, HTTP2CloseReason)
        case tokenMinted
        /// The `.p8` file has another key: refusals of the old one no longer matter.
        case keyChanged
        case timePassed
        /// The caller withdrew the push. A request in flight is not repeated.
        case withdrawn(Int)
        /// Another client replaces this one.
        case replaced
        case stopped
    }

    enum Effect: Equatable {
        case connect(generation: Int)
        /// Close the connection once the requests in flight on it are answered, within limits.
        case close(generation: Int)
        /// End the connection at once: it is dead.
        case drop(generation: Int)
        case ping(generation: Int)
        case send(LaneRequest, generation: Int, token: String, deadline: MonotonicTime)
        case mint(issuedAt: Int64)
        /// Read the key file: Apple refuses the token, and the file may have a new key.
        case readKey
        case finish(LaneRequest, APNsOutcome.Result)
    }

    struct Flight {
        var request: LaneRequest
        var generation: Int
        var tokenSerial: Int
    }

    private(set) var link = Link.idle
    let limits: APNsLimits
    var dice: Dice
    var effects: [Effect] = []

    // Requests: each is in exactly one of these.
    var queue = RequestQueue()
    private(set) var delayed = DelayedRequests()
    /// Requests whose notification has another in flight, the latest of each: two in flight may arrive in either order.
    private var held: [LaneRequest.Notification: LaneRequest] = [:]
    var flights: [Int: Flight] = [:]
    /// The number of the latest request about each notification, while it has no outcome.
    private var latest: [LaneRequest.Notification: Int] = [:]
    /// The notifications with a request in flight.
    private var flying: Set<LaneRequest.Notification> = []

    // The connection.
    /// Number of the current connection, or of the next one.
    private(set) var generation = 1
    private var flightsHere = 0
    private var streamsMax = 1
    /// Old connections, with the number of requests in flight on each.
    private var draining: [Int: Int] = [:]
    /// The key of the tokens sent on this connection: APNs accepts tokens of only one key on each.
    private var linkKey: String?
    /// True if this connection has carried an accepted push.
    private(set) var isProven = false
    private var lastHeard: MonotonicTime?
    private var connectFailures = 0
    /// The last obstacle, as a sentence.
    private(set) var trouble: String?

    // Restraint.
    /// The last verdict, even if the connection has ended since.
    var verdict: APNsVerdict?
    var breaker = Breaker()
    /// Consecutive errors of the server.
    var serverErrors = 0
    /// Devices that get too many pushes, with the end of their pause.
    var deviceBackOffs: [String: MonotonicTime] = [:]
    /// Nothing is due before this time.
    private(set) var wakeAt: MonotonicTime?
    private var isStopped = false
    private var isReplaced = false

    init(limits: APNsLimits, seed: UInt64) {
        self.limits = limits
        dice = Dice(seed: seed)
    }

    var requestCount: Int { queue.count + delayed.count + held.count + flights.count }

    // MARK: Events

    mutating func handle(_ input: Input, _ tokens: inout ProviderTokenMachine, at now: Moment) -> [Effect] {
        switch input {
        case .submitted(let request): submitted(request)
        case .settingsReceived(let generation, let max): settingsReceived(generation, max, now)
        case .goAwayReceived(let generation, let reason): goAwayReceived(generation, reason, now)
        case .pingAnswered(let generation): pingAnswered(generation, now)
        case .answered(let number, let answer):
            heard(now)
            if let flight = land(number) { answered(flight, answer, &tokens, now) }
        case .streamEnded(let number, let end):
            if let flight = land(number) { streamEnded(flight, end, now) }
        case .unsendable(let number):
            if let flight = land(number) { finish(flight.request, .notSent(.invalidRequest)) }
        case .closed(let generation, let reason): closed(generation, reason, now)
        case .tokenMinted: break
        case .keyChanged: breaker.keyChanged()
        case .timePassed: timePassed(now)
        case .withdrawn(let number): withdrawn(number)
        case .replaced: replaced()
        case .stopped: stopped()
        }
        pump(&tokens, now)
        let effects = effects
        self.effects.removeAll(keepingCapacity: true)
        return effects
    }

    private mutating func submitted(_ request: LaneRequest) {
        if isStopped { return finish(request, .notSent(.stopped)) }
        if isReplaced { return finish(request, .notSent(.replaced)) }
        guard requestCount < limits.requestsMax else { return finish(request, .notSent(.queueFull)) }
        if let notification = request.notification {
            if let old = latest.updateValue(request.number, forKey: notification) { supersede(old) }
        }
        queue.append(request)
        wake(by: request.until)
    }

    /// A later request replaces this one of the same notification. If it is in flight, it is not repeated.
    private mutating func supersede(_ number: Int) {
        for old in takeWaiting(number) { finish(old, old.givenUp(.superseded)) }
    }

    private mutating func withdrawn(_ number: Int) {
        for request in takeWaiting(number) { finish(request, request.givenUp(.withdrawn)) }
        flights[number]?.request.isWithdrawn = true
    }

    private mutating func takeWaiting(_ number: Int) -> [LaneRequest] {
        guard flights[number] == nil else { return [] }
        if let place = held.first(where: { $0.value.number == number }) {
            held[place.key] = nil
            return [place.value]
        }
        return queue.remove { $0.number == number } + delayed.take(where: { $0.number == number })
    }

    /// True if a later request is for the same notification.
    private func isSuperseded(_ request: LaneRequest) -> Bool {
        request.notification.flatMap { latest[$0] }.map { $0 != request.number } ?? false
    }

    private mutating func settingsReceived(_ generation: Int, _ max: Int, _ now: Moment) {
        guard generation == self.generation else { return }
        streamsMax = max
        if link == .connecting {
            heard(now)
            link = .proving
        }
    }

    /// The server accepts nothing new on this connection. It may still answer requests that it has received; the others come back
    /// as refused streams.
    private mutating func goAwayReceived(_ generation: Int, _ reason: String?, _ now: Moment) {
        guard generation == self.generation else { return }
        trouble = "the server went away" + (reason.map { ": \($0)" } ?? "")
        retire(now, isFailure: !isProven)
    }

    private mutating func pingAnswered(_ generation: Int, _ now: Moment) {
        guard generation == self.generation, case .checking(let wasOpen, _) = link else { return }
        heard(now)
        link = wasOpen ? .open : .proving
    }

    private mutating func closed(_ generation: Int, _ reason: HTTP2CloseReason, _ now: Moment) {
        draining[generation] = nil
        if reason != .here { trouble = reason.sentence }
        guard generation == self.generation else { return }
        retire(now, isFailure: !isProven)
    }

    private mutating func timePassed(_ now: Moment) {
        wakeAt = nil
        breaker.timePassed(now.instant)
        if case .pausing(let until) = link, until <= now.instant { link = .idle }
        if case .checking(_, let until) = link, until <= now.instant {
            trouble = "the connection is dead: no answer to a PING"
            effects.append(.drop(generation: generation))
            retire(now, isFailure: false)
        }
        deviceBackOffs = deviceBackOffs.filter { $0.value > now.instant }
        for request in queue.remove(where: { $0.until <= now.instant }) { giveUp(request) }
        let waited = delayed.take(at: now.instant)
        for request in waited.over { giveUp(request) }
        for request in waited.due { queue.append(request) }
        for request in held.values.filter({ $0.until <= now.instant }).sorted(by: { $0.number < $1.number }) {
            for late in takeWaiting(request.number) { giveUp(late) }
        }
        rearm()
    }

    /// Removes and returns every request that is not in flight, in no particular order.
    private mutating func takeAllWaiting() -> [LaneRequest] {
        defer { held = [:] }
        return queue.remove { _ in true } + delayed.takeAll() + held.values.sorted { $0.number < $1.number }
    }

    /// Leaves waiting requests to the new client, which may be able to send them. Requests in flight are still answered here.
    private mutating func replaced() {
        isReplaced = true
        for request in takeAllWaiting() { finish(request, .notSent(.replaced)) }
    }

    private mutating func stopped() {
        isStopped = true
        effects.append(.close(generation: generation))
        for generation in draining.keys.sorted() { effects.append(.close(generation: generation)) }
        for request in takeAllWaiting() { finish(request, request.givenUp(.stopped)) }
        for flight in flights.values.sorted(by: { $0.request.number < $1.request.number }) {
            finish(flight.request, .unknown(flight.request.uncertainty ?? .connectionLost))
        }
        (flights, flying, draining, flightsHere, link) = ([:], [], [:], 0, .idle)
    }

    // MARK: Sending

    private mutating func pump(_ tokens: inout ProviderTokenMachine, _ now: Moment) {
        guard !isStopped, !queue.isEmpty else { return }
        if breaker.barredUntil != nil {
            for request in queue.remove(where: { _ in true }) { finish(request, request.givenUp(.breakerOpen(breaker.reason))) }
            return
        }
        switch link {
        case .idle:
            link = .connecting
            streamsMax = 1
            isProven = false
            return effects.append(.connect(generation: generation))
        case .connecting, .checking, .pausing: return
        case .proving, .open: break
        }
        if flightsHere == 0, let lastHeard, lastHeard.duration(to: now.instant) > limits.idleMax { return check(now) }
        while flightsHere < room, !queue.isEmpty {
            switch tokens.answer(at: now) {
            case .use(let token):
                if let linkKey, linkKey != token.key {
                    retire(now, isFailure: false)
                    return pump(&tokens, now)
                }
                guard let request = nextRequest(now) else { return }
                send(request, token, now)
            case .mint(let issuedAt):
                return effects.append(.mint(issuedAt: issuedAt))
            case .minting:
                return
            case .wait(let until):
                bar(.expiredProviderToken, until: until)
                // Another lane of the team may have got this response: they share the token.
                verdict = APNsVerdict(refusal: APNsReason.expiredProviderToken.rawValue, unixSeconds: now.unixSeconds)
                retire(now, isFailure: false)
                return pump(&tokens, now)
            case .noKey(let sentence):
                for request in queue.remove(where: { _ in true }) { finish(request, request.givenUp(.noKey(sentence))) }
            }
        }
    }

    private var room: Int { link == .open ? min(streamsMax, limits.streamsMax) : min(streamsMax, 1) }

    /// The next request whose device is not paused.
    private mutating func nextRequest(_ now: Moment) -> LaneRequest? {
        while let request = queue.popFirst() {
            if let notification = request.notification, flying.contains(notification) {
                held[notification] = request
                continue
            }
            guard !deviceBackOffs.isEmpty, let device = request.request.deviceToken, let until = deviceBackOffs[device],
                until > now.instant
            else { return request }
            delay(request, until: until)
        }
        return nil
    }

    private mutating func send(_ request: LaneRequest, _ token: ProviderTokenMachine.Token, _ now: Moment) {
        var request = request
        request.attempts += 1
        linkKey = token.key
        flightsHere += 1
        if let notification = request.notification { flying.insert(notification) }
        flights[request.number] = Flight(request: request, generation: generation, tokenSerial: token.serial)
        let deadline = min(now.instant + limits.answerDeadline, max(request.until, now.instant + limits.answerDeadlineMin))
        effects.append(.send(request, generation: generation, token: token.text, deadline: deadline))
    }

    /// Removes a request from its connection. An old connection with no more requests is closed.
    private mutating func land(_ number: Int) -> Flight? {
        guard let flight = flights.removeValue(forKey: number) else { return nil }
        if let notification = flight.request.notification {
            flying.remove(notification)
            if let next = held.removeValue(forKey: notification) { queue.append(next) }
        }
        if flight.generation == generation {
            flightsHere -= 1
        } else if let count = draining[flight.generation] {
            draining[flight.generation] = count - 1
            if count == 1 {
                draining[flight.generation] = nil
                effects.append(.close(generation: flight.generation))
            }
        }
        return flight
    }

    // MARK: The connection

    /// Sends nothing more on the current connection. With `isFailure` it was of no use, and the next one is delayed.
    mutating func retire(_ now: Moment, isFailure: Bool) {
        guard link != .idle, !isPausing else { return }
        if flightsHere > 0 {
            draining[generation] = flightsHere
        } else {
            effects.append(.close(generation: generation))
        }
        flightsHere = 0
        generation += 1
        linkKey = nil
        link = .idle
        guard isFailure else { return }
        connectFailures += 1
        pause(for: dice.backoff(limits.connectBackoffBase, doubled: connectFailures, max: limits.connectBackoffMax), now)
    }

    /// To be called only without a connection.
    mutating func pause(for duration: Duration, _ now: Moment) {
        link = .pausing(until: now.instant + duration)
        wake(by: now.instant + duration)
    }

    /// Pings a connection that may be dead before anything else is sent on it.
    mutating func check(_ now: Moment) {
        guard link == .open || link == .proving else { return }
        let until = now.instant + limits.pingDeadline
        link = .checking(wasOpen: link == .open, until: until)
        wake(by: until)
        effects.append(.ping(generation: generation))
    }

    mutating func proven() {
        isProven = true
        connectFailures = 0
        trouble = nil
    }

    /// APNs has authenticated us, whatever it answered to the request.
    mutating func authenticated(_ generation: Int) {
        breaker.credentialsTaken()
        if generation == self.generation, link == .proving { link = .open }
    }

    private mutating func heard(_ now: Moment) { lastHeard = now.instant }

    private var isPausing: Bool { if case .pausing = link { true } else { false } }

    // MARK: The breaker

    /// Blocks the lane until this time.
    mutating func bar(_ reason: APNsReason?, until: MonotonicTime) {
        breaker.bar(reason, until: until)
        wake(by: until)
    }

    mutating func bar(_ reason: APNsReason?, _ now: Moment) {
        wake(by: breaker.bar(reason, limits, &dice, at: now.instant))
    }

    // MARK: The end of requests

    mutating func finish(_ request: LaneRequest, _ result: APNsOutcome.Result) {
        if let notification = request.notification, latest[notification] == request.number { latest[notification] = nil }
        effects.append(.finish(request, result))
    }

    private mutating func giveUp(_ request: LaneRequest) { finish(request, request.givenUp(.patienceOver(trouble))) }

    /// Schedules another attempt, unless the request is obsolete.
    mutating func again(_ request: LaneRequest, after wait: Duration, _ now: Moment) {
        if request.isWithdrawn { return finish(request, request.givenUp(.withdrawn)) }
        if isSuperseded(request) { return finish(request, request.givenUp(.superseded)) }
        if isReplaced { return finish(request, .notSent(.replaced)) }
        guard request.attempts < limits.attemptsMax, now.instant + wait < request.until else { return giveUp(request) }
        if wait == .zero { queue.append(request) } else { delay(request, until: now.instant + wait) }
    }

    private mutating func delay(_ request: LaneRequest, until: MonotonicTime) {
        delayed.add(request, notBefore: until)
        wake(by: min(until, request.until))
    }

    // MARK: Time

    mutating func wake(by instant: MonotonicTime) { wakeAt = min(wakeAt ?? instant, instant) }

    /// Sets the next wake-up, after everything has been looked at.
    private mutating func rearm() {
        if let until = breaker.barredUntil { wake(by: until) }
        switch link {
        case .pausing(let until), .checking(_, let until): wake(by: until)
        case .idle, .connecting, .proving, .open: break
        }
        for until in deviceBackOffs.values { wake(by: until) }
        if let next = delayed.next { wake(by: next) }
        for request in held.values { wake(by: request.until) }
        if let until = queue.firstEnd { wake(by: until) }
    }
}
