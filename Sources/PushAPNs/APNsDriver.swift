internal import ChannelAPNs
internal import HeliographCrypto
internal import Glibc
internal import HeliographHTTP2

/// Carries out the machine's effects on the loop's thread: connections, signatures, the clock.
final class APNsDriver: HTTP2ClientHandler {
    typealias Completion = @Sendable (APNsOutcome) -> Void

    private struct LaneConnection: Hashable {
        var lane: APNsMachine.LaneID
        var generation: Int
    }

    private struct Ticket {
        var lane: APNsMachine.LaneID
        var number: Int
    }

    /// One of `connections`, with what its requests have in common.
    private struct Way {
        let link: LaneConnection
        let connection: HTTP2ConnectionID
        let authority: String
        let token: String
        let authorization: String
    }

    private let configuration: APNsConfiguration
    private let tls: TLSContext
    private var machine: APNsMachine
    private var keyFiles: [APNsKeyID: KeyFile] = [:]
    private var connections: [LaneConnection: HTTP2ConnectionID] = [:] { didSet { latest = nil } }
    /// The connection of the last request, cached because the next one mostly uses it, too.
    private var latest: Way?
    private var links: [HTTP2ConnectionID: LaneConnection] = [:]
    private var tickets: [HTTP2StreamID: Ticket] = [:]
    /// Requests without an outcome, with their `APNsRequest.id`.
    private var open: [Int: (id: String, completion: Completion)] = [:]
    private var numbers: [String: Int] = [:]
    private var lastNumber = 0
    private var inputs: [APNsMachine.Input] = []
    private var isWorking = false
    /// The timer for the machine's `wakeAt`, and when it fires.
    private var alarm: (timer: HTTP2TimerID, due: MonotonicTime)?

    /// Interval of looking at the key files: a replaced key is in use after this at the latest.
    private static let keyFilesInterval: Duration = .seconds(10)

    init(_ configuration: APNsConfiguration, _ tls: TLSContext, _ loop: HTTP2Loop) {
        self.configuration = configuration
        self.tls = tls
        machine = APNsMachine(
            teams: configuration.teams, limits: configuration.limits, seed: UInt64.random(in: .min ... .max))
        for team in configuration.teams {
            for key in team.keys.values { keyFiles[key.id] = KeyFile(key) }
        }
        watchKeyFiles(loop)
    }

    func submit(_ request: APNsRequest, _ completion: @escaping Completion, _ loop: HTTP2Loop) {
        lastNumber += 1
        open[lastNumber] = (request.id, completion)
        numbers[request.id] = lastNumber
        work(.submitted(number: lastNumber, request), loop)
    }

    func withdraw(_ id: String, _ loop: HTTP2Loop) {
        if let number = numbers[id] { work(.withdrawn(number: number), loop) }
    }

    func giveBack(_ loop: HTTP2Loop) { work(.replaced, loop) }

    func stop(_ loop: HTTP2Loop) { work(.stopped, loop) }

    func lanes(_ loop: HTTP2Loop) -> [APNsLaneState] {
        machine.lanes.map { lane in
            let connection = connections[LaneConnection(lane: lane.id, generation: lane.machine.generation)]
            return APNsLaneState(lane.id, lane.machine, connection.flatMap { loop.state(of: $0) })
        }
    }

    // MARK: Facts

    func handle(_ event: HTTP2ClientEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        switch event {
        case .responseReceived(let message, let stream):
            guard let ticket = tickets.removeValue(forKey: stream) else { return }
            work(.lane(ticket.lane, .answered(ticket.number, APNsAnswer(message))), loop)
        case .streamEnded(let stream, let end):
            guard let ticket = tickets.removeValue(forKey: stream) else { return }
            work(.lane(ticket.lane, .streamEnded(ticket.number, end)), loop)
        case .settingsReceived(let streamsMax):
            tell(connection, loop) { .settingsReceived(generation: $0, streamsMax: streamsMax) }
        case .goAwayReceived(_, let code, let debug):
            let reason = APNsAnswer.reasonText(ofGoAway: debug) ?? "\(code)"
            tell(connection, loop) { .goAwayReceived(generation: $0, reason: reason) }
        case .pingAnswered:
            tell(connection, loop) { .pingAnswered(generation: $0) }
        case .closed(let reason):
            tell(connection, loop) { .closed(generation: $0, reason) }
            if let link = links.removeValue(forKey: connection) { connections[link] = nil }
        }
    }

    private func tell(_ connection: HTTP2ConnectionID, _ loop: HTTP2Loop, _ input: (Int) -> LaneMachine.Input) {
        guard let link = links[connection] else { return }
        work(.lane(link.lane, input(link.generation)), loop)
    }

    private func watchKeyFiles(_ loop: HTTP2Loop) {
        for id in keyFiles.keys { readKey(id, loop) }
        loop.schedule(after: Self.keyFilesInterval) { [weak self] loop in self?.watchKeyFiles(loop) }
    }

    private func readKey(_ id: APNsKeyID, _ loop: HTTP2Loop) {
        switch keyFiles[id]?.look() {
        case .read(let digest):
            work(.keyRead(id, digest: digest), loop)
            if let (text, issuedAt) = tokenFile(id)?.read() {
                work(.tokenRestored(id, text, issuedAt: issuedAt), loop)
            }
        case .failed(let sentence): work(.keyFailed(id, sentence), loop)
        case .some(.none), nil: break
        }
    }

    private func tokenFile(_ id: APNsKeyID) -> TokenFile? {
        guard let folder = configuration.tokenFolder, let digest = keyFiles[id]?.digest else { return nil }
        return TokenFile(folder: folder, id: id, keyDigest: digest)
    }

    // MARK: Orders

    /// An effect may cause the next fact at once; facts are queued and handled one after another.
    private func work(_ input: APNsMachine.Input, _ loop: HTTP2Loop) {
        inputs.append(input)
        guard !isWorking else { return }
        isWorking = true
        var next = 0
        while next < inputs.count {
            let effects = machine.handle(inputs[next], at: Moment(instant: loop.now, unixSeconds: Self.unixSeconds()))
            next += 1
            for effect in effects { carryOut(effect, loop) }
        }
        inputs.removeAll(keepingCapacity: true)
        isWorking = false
        setAlarm(loop)
    }

    private func carryOut(_ effect: APNsMachine.Effect, _ loop: HTTP2Loop) {
        switch effect {
        case .connect(let lane, let generation): connect(LaneConnection(lane: lane, generation: generation), loop)
        case .close(let lane, let generation):
            if let id = connections[LaneConnection(lane: lane, generation: generation)] { loop.close(id) }
        case .drop(let lane, let generation):
            if let id = connections[LaneConnection(lane: lane, generation: generation)] { loop.drop(id) }
        case .ping(let lane, let generation):
            if let id = connections[LaneConnection(lane: lane, generation: generation)] { loop.ping(id) }
        case .send(let lane, let request, let generation, let token, let deadline):
            send(request, LaneConnection(lane: lane, generation: generation), token, deadline, loop)
        case .mint(let key, let issuedAt):
            guard let text = keyFiles[key]?.token(issuedAt: issuedAt) else { preconditionFailure("a key that nobody has") }
            tokenFile(key)?.write(text, issuedAt: issuedAt)
            inputs.append(.minted(key, text))
        case .readKey(let key): readKey(key, loop)
        case .finish(let number, let outcome):
            guard let (id, completion) = open.removeValue(forKey: number) else { return }
            if numbers[id] == number { numbers[id] = nil }
            completion(outcome)
        }
    }

    private func connect(_ link: LaneConnection, _ loop: HTTP2Loop) {
        guard let host = configuration.hosts[link.lane.service]?[link.lane.environment] else {
            let reason = "no host is configured for \(link.lane.service) in the \(link.lane.environment) environment"
            return inputs.append(.lane(link.lane, .closed(generation: link.generation, .unreachable(reason))))
        }
        let id = loop.connect(
            HTTP2ClientConfiguration(host: host.name, port: host.port, address: host.address, tls: tls), handler: self)
        connections[link] = id
        links[id] = link
    }

    private func send(
        _ request: LaneRequest, _ link: LaneConnection, _ token: String, _ deadline: MonotonicTime, _ loop: HTTP2Loop
    ) {
        do throws(HTTP2Error) {
            let way = try way(of: link, token)
            let message = request.request.message(authority: way.authority, authorization: way.authorization)
            let stream = try loop.request(message, on: way.connection, deadline: deadline)
            tickets[stream] = Ticket(lane: link.lane, number: request.number)
        } catch {
            let input: LaneMachine.Input =
                switch error.code {
                case .invalidMessage: .unsendable(request.number)
                case .streamLimit: .streamEnded(request.number, .reset(.refusedStream))
                default: .streamEnded(request.number, .connectionLost(wasSent: false))
                }
            inputs.append(.lane(link.lane, input))
        }
    }

    private func way(of link: LaneConnection, _ token: String) throws(HTTP2Error) -> Way {
        if let latest, latest.link == link, latest.token == token { return latest }
        guard let id = connections[link] else { throw HTTP2Error(.notOpen, "the connection is gone") }
        let name = configuration.hosts[link.lane.service]?[link.lane.environment]?.name ?? ""
        let way = Way(link: link, connection: id, authority: name, token: token, authorization: "bearer \(token)")
        latest = way
        return way
    }

    // MARK: Time

    private func setAlarm(_ loop: HTTP2Loop) {
        guard let due = machine.wakeAt else { return }
        if let alarm {
            guard due < alarm.due else { return }
            loop.cancel(alarm.timer)
        }
        let timer = loop.schedule(after: loop.now.duration(to: due)) { [weak self] loop in
            self?.alarm = nil
            self?.work(.timePassed, loop)
        }
        alarm = (timer, due)
    }

    private static func unixSeconds() -> Int64 { Int64(time(nil)) }
}
