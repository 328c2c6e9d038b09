internal import ChannelAPNs
internal import HeliographHTTP2
internal import HeliographPlatform

/// All that goes to one host for one team: the requests that wait and fly, and the one connection that carries them.
///
/// Pure: clock and dice are arguments, effects are orders. A connection has a number, its generation; what is told of an old
/// one concerns only the requests that still fly on it.
struct LaneMachine {
    enum Link: Equatable {
        /// No connection, and none is needed. Becomes connecting.
        case idle
        /// SETTINGS are awaited. Becomes proving, or pausing.
        case connecting
        /// One request at a time, until one was answered other than by a refusal of our credentials: APNs allows one stream
        /// before it knows us. Becomes open, checking, idle or pausing.
        case proving
        /// As many requests as the server allows. Becomes checking, idle or pausing.
        case open
        /// A PING is out and nothing else goes. Becomes proving or open by its answer, else idle.
        case checking(wasOpen: Bool, until: MonotonicTime)
        /// The host is left alone. Becomes connecting when somebody wants something.
        case pausing(until: MonotonicTime)
    }

    enum Input {
        case submitted(LaneRequest)
        case settingsReceived(generation: Int, streamsMax: Int)
        case goAwayReceived(generation: Int, reason: String?)
        case pingAnswered(generation: Int)
        case answered(Int, APNsAnswer)
        case streamEnded(Int, HTTP2StreamEnd)
        /// A header of it cannot be sent.
        case unsendable(Int)
        case closed(generation: Int, HTTP2CloseReason)
        case tokenMinted
        /// The `.p8` file has another key: what was said of the old one is of no matter.
        case keyChanged
        case timePassed
        /// Its caller wants it sent no more. A request that is on its way is not sent again.
        case withdrawn(Int)
        /// Another client has taken this one's place.
        case replaced
        case stopped
    }

    enum Effect: Equatable {
        case connect(generation: Int)
        /// Requests in flight on the connection may still land, within limits.
        case close(generation: Int)
        /// The connection is dead.
        case drop(generation: Int)
        case ping(generation: Int)
        case send(LaneRequest, generation: Int, token: String, deadline: MonotonicTime)
        case mint(issuedAt: Int64)
        /// Apple does not like the token: perhaps the file has a new key.
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
    /// The latest of each notification of which one is on its way: two on their way may arrive in either order.
    private var held: [LaneRequest.Notification: LaneRequest] = [:]
    var flights: [Int: Flight] = [:]
    /// The number of the latest request about each notification, while it has no outcome.
    private var latest: [LaneRequest.Notification: Int] = [:]
    /// The notifications of which a request is on its way.
    private var flying: Set<LaneRequest.Notification> = []

    // The connection.
    /// The number of the connection that there is, or of the next one.
    private(set) var generation = 1
    private var flightsHere = 0
    private var streamsMax = 1
    /// Old connections and how many requests still fly on each.
    private var draining: [Int: Int] = [:]
    /// The key whose tokens this connection has carried: APNs takes no other's there.
    private var linkKey: String?
    /// This connection has carried an accepted push.
    private(set) var isProven = false
    private var lastHeard: MonotonicTime?
    private var connectFailures = 0
    /// The last obstacle, as a sentence.
    private(set) var trouble: String?

    // Restraint.
    /// The last there was, whatever came of the connection since.
    var verdict: APNsVerdict?
    var breaker = Breaker()
    /// Consecutive errors of the server.
    var serverErrors = 0
    /// Devices that get too much.
    var deviceBackOffs: [String: MonotonicTime] = [:]
    /// Nothing is due before this.
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

    /// A later request is about the same notification. One that is on its way is not sent again.
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

    /// A later one is about the same notification.
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

    /// The server takes nothing new on this connection. What it has it may still answer; what it has not comes back as refused
    /// streams.
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

    /// Everything that is not on its way, in no order that matters.
    private mutating func takeAllWaiting() -> [LaneRequest] {
        defer { held = [:] }
        return queue.remove { _ in true } + delayed.takeAll() + held.values.sorted { $0.number < $1.number }
    }

    /// Waiting requests are left to the new client, which may have a better way to send them. Requests in flight still land here.
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
                // Another lane of the team may have been told: the token is the same.
                verdict = APNsVerdict(refusal: APNsReason.expiredProviderToken.rawValue, unixSeconds: now.unixSeconds)
                retire(now, isFailure: false)
                return pump(&tokens, now)
            case .noKey(let sentence):
                for request in queue.remove(where: { _ in true }) { finish(request, request.givenUp(.noKey(sentence))) }
            }
        }
    }

    private var room: Int { link == .open ? min(streamsMax, limits.streamsMax) : min(streamsMax, 1) }

    /// The next whose device is not backed off from.
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

    /// Takes a request off its connection. An old connection that carries nothing any more is closed.
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

    /// Nothing new goes on the connection that there is. `isFailure`: it was of no use, so the next one waits.
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

    /// Only called without a connection.
    mutating func pause(for duration: Duration, _ now: Moment) {
        link = .pausing(until: now.instant + duration)
        wake(by: now.instant + duration)
    }

    /// A connection that may be dead is asked before anything else is entrusted to it.
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

    /// APNs knows us now, whatever it said about the request.
    mutating func authenticated(_ generation: Int) {
        breaker.credentialsTaken()
        if generation == self.generation, link == .proving { link = .open }
    }

    private mutating func heard(_ now: Moment) { lastHeard = now.instant }

    private var isPausing: Bool { if case .pausing = link { true } else { false } }

    // MARK: The breaker

    /// Sends nothing for a while, longer each time, or until then.
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

    /// Tries again later, if that makes sense.
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

    /// After a look at everything.
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
