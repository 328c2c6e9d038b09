internal import Foundation
internal import HeliographCrypto
internal import HeliographHTTP2

/// Carries out the machines' effects on the loop's thread: connections, encryption, signatures, the clock.
final class WebPushDriver: HTTP2ClientHandler {
    typealias Completion = @Sendable (WebPushOutcome) -> Void

    private struct Connection: Hashable {
        var origin: WebPushOrigin
        var generation: Int
    }

    private struct Ticket {
        var number: Int
        var endpoint: WebPushEndpoint
    }

    private let configuration: WebPushConfiguration
    private let tls: TLSContext
    private var machines: [WebPushOrigin: OriginMachine] = [:]
    private var connections: [Connection: HTTP2ConnectionID] = [:]
    private var places: [HTTP2ConnectionID: Connection] = [:]
    private var tickets: [HTTP2StreamID: Ticket] = [:]
    /// Requests without an outcome, with their `WebPushRequest.id`.
    private var open: [Int: (id: String, completion: Completion)] = [:]
    private var numbers: [String: (origin: WebPushOrigin, number: Int)] = [:]
    private var lastNumber = 0
    private var inputs: [(WebPushOrigin, OriginMachine.Input)] = []
    private var isWorking = false
    /// The timer for the first `wakeAt`, and when it fires.
    private var alarm: (timer: HTTP2TimerID, due: MonotonicTime)?

    /// Largest response body: services answer with a sentence at most.
    private static let answerBytesMax = 4 << 10

    init(_ configuration: WebPushConfiguration, _ tls: TLSContext) {
        self.configuration = configuration
        self.tls = tls
    }

    func submit(_ request: WebPushRequest, _ completion: @escaping Completion, _ loop: HTTP2Loop) {
        let origin = request.endpoint.origin
        // The subscription may be older than the list of services.
        guard configuration.services.allows(origin) else {
            return completion(WebPushOutcome(.notSent(.invalidRequest), attempts: 0))
        }
        if machines[origin] == nil {
            guard makeRoom() else { return completion(WebPushOutcome(.notSent(.queueFull), attempts: 0)) }
            machines[origin] = OriginMachine(
                limits: configuration.limits, isSigned: configuration.signer != nil, seed: UInt64.random(in: .min ... .max))
        }
        lastNumber += 1
        open[lastNumber] = (request.id, completion)
        numbers[request.id] = (origin, lastNumber)
        work(.submitted(number: lastNumber, request), origin, loop)
    }

    func withdraw(_ id: String, _ loop: HTTP2Loop) {
        if let (origin, number) = numbers[id] { work(.withdrawn(number), origin, loop) }
    }

    func stop(_ loop: HTTP2Loop) {
        for origin in machines.keys { work(.stopped, origin, loop) }
    }

    func origins(_ loop: HTTP2Loop) -> [WebPushOriginState] {
        machines.sorted { $0.key.authority < $1.key.authority }.map { origin, machine in
            let connection = connections[Connection(origin: origin, generation: machine.link.generation)]
            return WebPushOriginState(
                origin: origin, waiting: machine.waitingCount, flying: machine.flyingCount, barredReason: machine.barredReason,
                trouble: machine.trouble, connection: connection.flatMap { loop.state(of: $0) })
        }
    }

    private func makeRoom() -> Bool {
        guard machines.count >= configuration.limits.originsMax else { return true }
        guard let unused = machines.first(where: { $0.value.isUnused })?.key else { return false }
        machines[unused] = nil
        return true
    }

    // MARK: Facts

    func handle(_ event: HTTP2ClientEvent, on id: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        guard let place = places[id] else { return }
        switch event {
        case .responseReceived(let message, let stream):
            guard let ticket = tickets.removeValue(forKey: stream) else { return }
            let answer = WebPushAnswer(message, to: ticket.endpoint, at: Self.unixSeconds())
            work(.answered(ticket.number, answer), place.origin, loop)
        case .streamEnded(let stream, let end):
            guard let ticket = tickets.removeValue(forKey: stream) else { return }
            work(.streamEnded(ticket.number, end), place.origin, loop)
        case .settingsReceived(let streamsMax):
            work(.connected(generation: place.generation, streamsMax: streamsMax), place.origin, loop)
        case .goAwayReceived: work(.goAwayReceived(generation: place.generation), place.origin, loop)
        case .pingAnswered: break
        case .closed(let reason):
            places[id] = nil
            connections[place] = nil
            work(.closed(generation: place.generation, reason), place.origin, loop)
        }
    }

    // MARK: Orders

    /// An effect may cause the next fact at once; facts are queued and handled one after another.
    private func work(_ input: OriginMachine.Input, _ origin: WebPushOrigin, _ loop: HTTP2Loop) {
        inputs.append((origin, input))
        guard !isWorking else { return }
        isWorking = true
        var next = 0
        while next < inputs.count {
            let (origin, input) = inputs[next]
            next += 1
            let now = Moment(instant: loop.now, unixSeconds: Self.unixSeconds())
            for effect in machines[origin]?.handle(input, at: now) ?? [] { carryOut(effect, origin, loop) }
        }
        inputs.removeAll(keepingCapacity: true)
        isWorking = false
        setAlarm(loop)
    }

    private func carryOut(_ effect: OriginMachine.Effect, _ origin: WebPushOrigin, _ loop: HTTP2Loop) {
        switch effect {
        case .connect(let generation): connect(Connection(origin: origin, generation: generation), loop)
        case .close(let generation):
            if let id = connections[Connection(origin: origin, generation: generation)] { loop.close(id) }
        case .sign(let expiresAt):
            guard let signer = configuration.signer else { preconditionFailure("without a key nothing is signed") }
            let token = signer.key.token(for: origin, expiresAt: expiresAt, contact: signer.contact)
            inputs.append((origin, .signed(token)))
        case .send(let attempt, let generation, let token, let secondsToLive, let deadline):
            let connection = Connection(origin: origin, generation: generation)
            if let failure = send(attempt, on: connection, token, secondsToLive, deadline, loop) {
                inputs.append((origin, failure))
            }
        case .finish(let number, let outcome):
            guard let (id, completion) = open.removeValue(forKey: number) else { return }
            if numbers[id]?.number == number { numbers[id] = nil }
            completion(outcome)
        }
    }

    private func connect(_ connection: Connection, _ loop: HTTP2Loop) {
        let (origin, addition) = (connection.origin, configuration.services.addition(connection.origin))
        var calling = HTTP2ClientConfiguration(
            host: origin.host, port: origin.port, address: addition?.address, tls: origin.isPlain ? nil : tls)
        calling.allowsHTTP1 = true
        calling.limits.bodyBytesMax = Self.answerBytesMax
        if addition?.mayBePrivate != true { calling.allowsAddress = { PublicAddress.contains($0) } }
        let id = loop.connect(calling, handler: self)
        connections[connection] = id
        places[id] = connection
    }

    /// Sends the attempt. Returns the fact to handle if that fails.
    private func send(
        _ attempt: WebPushAttempt, on connection: Connection, _ token: String, _ secondsToLive: Int, _ deadline: MonotonicTime,
        _ loop: HTTP2Loop
    ) -> OriginMachine.Input? {
        guard let id = connections[connection] else { return .streamEnded(attempt.number, .connectionLost(wasSent: false)) }
        let message = attempt.request.message
        do {
            let whole: HTTP2Message
            switch (attempt.request.destination, configuration.signer) {
            case (.browser(let subscription), let signer?):
                let body = try MessageBody.seal(message.text, paddedTo: message.paddedSize, for: subscription)
                whole = attempt.request.message(
                    token: token, publicKey: signer.key.publicText, secondsToLive: secondsToLive, body: body)
            case (.browser, nil): return .unsendable(attempt.number)
            case (.webhook(_, let secret), _):
                whole = attempt.request.message(signedWith: secret, at: Self.unixSeconds())
            case (.server(_, let authorization), _): whole = attempt.request.message(authorization: authorization)
            }
            let stream = try loop.request(whole, on: id, deadline: deadline)
            tickets[stream] = Ticket(number: attempt.number, endpoint: attempt.endpoint)
            return nil
        } catch let error as HTTP2Error where error.code == .streamLimit {
            return .streamEnded(attempt.number, .reset(.refusedStream))
        } catch let error as HTTP2Error where error.code == .notOpen {
            return .streamEnded(attempt.number, .connectionLost(wasSent: false))
        } catch {
            return .unsendable(attempt.number)
        }
    }

    // MARK: Time

    private func setAlarm(_ loop: HTTP2Loop) {
        guard let due = machines.values.compactMap(\.wakeAt).min() else { return }
        if let alarm {
            guard due < alarm.due else { return }
            loop.cancel(alarm.timer)
        }
        let timer = loop.schedule(after: loop.now.duration(to: due)) { [weak self] loop in self?.timePassed(loop) }
        alarm = (timer, due)
    }

    private func timePassed(_ loop: HTTP2Loop) {
        alarm = nil
        // Only names are kept during the loop: a copy of the machines would make each change copy all their data.
        let due = machines.compactMap { ($0.value.wakeAt ?? loop.now + .seconds(1)) <= loop.now ? $0.key : nil }
        for origin in due { work(.timePassed, origin, loop) }
        setAlarm(loop)
    }

    private static func unixSeconds() -> Int64 { Int64(Date().timeIntervalSince1970) }
}
