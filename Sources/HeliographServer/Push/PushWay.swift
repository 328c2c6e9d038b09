import Dispatch
import Logging
import PushAPNs
import PushPlanner
import PushWeb
import RelayCore
import RelayProtocol
import WebSocketEngine

/// The push services' clients, shared by all cores of a process: its keys, the clients, and the last outcomes. Confined to the
/// loop's thread.
///
/// Cores come and go while their pushes are under way. So a client gets only a push's name, and the core that ordered it is
/// referenced weakly: one that has ended is neither notified nor retained.
final class PushWay {
    /// Reported if Apple's key is not set up.
    static let notSetUp = "no APNs key is set up: heliograph push setup"
    /// Number of outcomes that `heliograph push status` shows.
    static let outcomesKeptMax = 20

    /// Pushes in one query of the store: each needs at most two digests.
    static let askedMax = 256
    static let withdrawnSentence = "it was withdrawn before it was sent"
    static let movedSentence = "its app registered in another workspace"

    /// Interval at which the configuration is read: a corrected file is in use after this time at the latest.
    static let lookInterval: Duration = .seconds(10)

    /// Identifies a push among those of all cores of a process; the `apns-id` is derived from it.
    private struct FlightName: Hashable {
        let epoch: Epoch
        let push: PushID
    }

    /// A push under way.
    private struct Flight {
        let intent: PushIntent
        let codes: PushCodes
        /// The core that ordered it last; nil: that has ended.
        weak var runner: PushRunner?
        /// True if the push must not be sent any more.
        var isWithdrawn = false
        /// The client that sends it. A replaced client is retained as long as it has pushes under way.
        var sender: (any PushSender)?
    }

    private struct Listener {
        weak var runner: PushRunner?
    }

    private let loop: EventLoop
    private let directory: String
    private let measures: PushMeasures
    private let logger: Logger
    private let web: WebPushes
    /// Carriers of every service but Apple's.
    private let carriers: [PushService: any PushCarrier]
    /// The store of address owners; nil: this process has all cores.
    private let addresses: (any AddressStore)?
    /// Queue of the store's queries, one after the other: pushes that are ordered meanwhile are part of the next one.
    private let questions = DispatchQueue(label: "heliograph.addresses")
    private var isAsking = false
    /// Pushes whose addresses are queried next, in order.
    private var unasked: [FlightName] = []
    private let makeSender: (APNsConfiguration) throws -> any PushSender
    private var file: PushConfigurationFile
    private var configuration: PushConfiguration?
    private var sender: (any PushSender)?
    /// Reason why the configuration on disk is not in use.
    private var trouble: String?
    private var flights: [FlightName: Flight] = [:]
    /// Listeners for a new configuration: one for each core of the process.
    private var listeners: [Listener] = []
    private var outcomes: [(intent: PushIntent, outcome: PushOutcome, at: Int64)] = []

    /// Throws if `push.json` or a file that it names cannot be used: better now than when the first approval does not ring.
    init(
        directory: String, web: WebPushes, others: [any PushCarrier] = [], addresses: (any AddressStore)? = nil,
        loop: EventLoop, measures: PushMeasures, logger: Logger,
        makeSender: @escaping (APNsConfiguration) throws -> any PushSender = { try APNsClient($0) }
    ) throws {
        self.directory = directory
        self.loop = loop
        self.measures = measures
        self.logger = logger
        self.web = web
        carriers = Dictionary(uniqueKeysWithValues: ([web] + others).map { ($0.service, $0) })
        self.addresses = addresses
        self.makeSender = makeSender
        file = PushConfigurationFile(directory: directory)
        if case .read(let configuration?) = try file.look() { try use(configuration) }
        watch()
    }

    /// Apps whose cards may listen to channels; empty if nothing is configured. Throws like `init`.
    static func broadcastBundles(in directory: String) throws -> Set<String> {
        var file = PushConfigurationFile(directory: directory)
        guard case .read(let configuration?) = try file.look() else { return [] }
        return Set(configuration.teams.flatMap(\.broadcasts))
    }

    /// The key with which a browser subscribes. Throws the reason why this relay sends no pushes to browsers.
    func webPushKey() throws(PushObstacleError) -> WebPushes.PublicKey { try web.publicKey() }

    /// Sets the key, which is in the shared store. Returns the public key with which a browser subscribes.
    func use(_ key: VAPIDKey) -> String { web.use(key) }

    /// True if no push of any core is under way.
    var isIdle: Bool { flights.isEmpty }
    var underWay: Int { flights.count }

    /// Stops all senders, before the process ends.
    func stop() {
        sender?.stop()
        for carrier in carriers.values { carrier.stop() }
    }

    // MARK: - Cores

    func join(_ runner: PushRunner) {
        listeners.removeAll { $0.runner == nil }
        listeners.append(Listener(runner: runner))
    }

    /// Drops a core: its pushes under way continue, and their outcomes are not reported.
    func leave(_ runner: PushRunner) {
        listeners.removeAll { $0.runner == nil || $0.runner === runner }
        for (name, flight) in flights where flight.runner === runner { flights[name]?.runner = nil }
    }

    // MARK: - Pushes

    /// Sends a push, and reports its outcome to `runner`, once, and not within this turn. If it is still under way, it is not sent
    /// twice: its outcome is reported to the core that ordered it last.
    func send(_ intent: PushIntent, with codes: PushCodes, for runner: PushRunner) {
        let name = FlightName(epoch: codes.epoch, push: intent.id)
        guard flights[name] == nil else {
            flights[name]?.runner = runner
            return
        }
        flights[name] = Flight(intent: intent, codes: codes, runner: runner)
        measures.planned(intent.purpose)
        look()
        begin(name)
    }

    /// Withdraws a push: it is not sent if it still waits, and not sent again if it is under way. It gets an outcome like any
    /// other.
    func withdraw(_ push: PushID, with codes: PushCodes) {
        let name = FlightName(epoch: codes.epoch, push: push)
        guard let flight = flights[name] else { return }
        flights[name]?.isWithdrawn = true
        flight.sender?.withdraw(PushIntent.requestID(push, in: codes.epoch))
        carriers[flight.intent.service]?.withdraw(push, of: codes.epoch)
    }

    /// Begins to send a push. If several nodes push, it first checks that the app still belongs to the push's workspace. This is
    /// checked for each push: even a core that does not know that the app has moved sends nothing.
    private func begin(_ name: FlightName) {
        guard addresses != nil, flights[name]?.intent.addresses.isEmpty == false else { return send(name) }
        unasked.append(name)
        askNext()
    }

    private func askNext() {
        guard let addresses, !isAsking, !unasked.isEmpty else { return }
        isAsking = true
        let names = Array(unasked.prefix(Self.askedMax))
        unasked.removeFirst(names.count)
        var held: [HeldAddress] = []
        for name in names {
            guard let intent = flights[name]?.intent else { preconditionFailure("a push is under way until it has an outcome") }
            held += intent.addresses.map { HeldAddress($0, in: intent.workspace) }
        }
        let (handle, bound) = (loop.handle, LoopBound(self, loop: loop))
        questions.async { [held] in
            let moved: Result<Set<HeldAddress>, any Error> = Result { try addresses.moved(held) }
            handle.execute { bound.value.told(moved, of: names) }
        }
    }

    private func told(_ moved: Result<Set<HeldAddress>, any Error>, of names: [FlightName]) {
        isAsking = false
        if case .failure(let error) = moved { logger.error("an app's workspace is unknown", metadata: ["error": "\(error)"]) }
        for name in names {
            // The push's core has ended; the workspace's next core orders it again.
            guard let flight = flights[name], flight.runner != nil else {
                flights[name] = nil
                continue
            }
            let intent = flight.intent
            switch moved {
            case .success(let moved):
                let address = intent.addresses.first { moved.contains(HeldAddress($0, in: intent.workspace)) }
                if let address { arrived(name, .notSent(Self.movedSentence), moved: address) } else { send(name) }
            case .failure: arrived(name, .notSent("the database does not say whether its app is still of this workspace"))
            }
        }
        askNext()
    }

    private func send(_ name: FlightName) {
        guard let flight = flights[name] else { preconditionFailure("a push is under way until it has an outcome") }
        do throws(PushObstacleError) {
            if flight.isWithdrawn { throw PushObstacleError(sentence: Self.withdrawnSentence) }
            switch flight.intent.service {
            case .apns: try sendToApple(flight, name)
            case let service: try send(flight, name, by: service)
            }
        } catch {
            // Reported on the loop's next turn, because the core is still giving orders.
            let bound = LoopBound(self, loop: loop)
            loop.handle.execute { bound.value.arrived(name, .notSent(error.sentence)) }
        }
    }

    private func send(_ flight: Flight, _ name: FlightName, by service: PushService) throws(PushObstacleError) {
        guard let carrier = carriers[service] else {
            throw PushObstacleError(sentence: "this relay does not push by \(service.rawValue)")
        }
        let (handle, bound) = (loop.handle, LoopBound(self, loop: loop))
        try carrier.send(flight.intent, flight.codes, at: WallClock.milliseconds) { outcome in
            handle.execute { bound.value.arrived(name, outcome) }
        }
    }

    private func sendToApple(_ flight: Flight, _ name: FlightName) throws(PushObstacleError) {
        guard let configuration, let sender else { throw PushObstacleError(sentence: trouble ?? Self.notSetUp) }
        let intent = flight.intent
        guard let team = configuration.team(of: intent.app) else {
            throw PushObstacleError(
                sentence:
                    "no APNs key is set up for \(intent.app), the bundle of the device's profile: heliograph push setup --bundle \(intent.app), or a profile for your own app"
            )
        }
        let request = try intent.request(
            with: PushMaterial(team: team, epoch: name.epoch, codes: flight.codes, now: WallClock.milliseconds))
        flights[name]?.sender = sender
        let (handle, bound) = (loop.handle, LoopBound(self, loop: loop))
        sender.submit(request) { outcome in handle.execute { bound.value.appleAnswered(name, outcome) } }
    }

    private func appleAnswered(_ name: FlightName, _ outcome: APNsOutcome) {
        // The new client sends what the old one did not, except for a core that has ended: another may have ordered the push since,
        // and sent a later one.
        if case .notSent(.replaced) = outcome.result, flights[name]?.runner != nil { return begin(name) }
        arrived(name, PushOutcome(outcome))
    }

    private func arrived(_ name: FlightName, _ outcome: PushOutcome, moved: PushAddress? = nil) {
        guard let flight = flights.removeValue(forKey: name) else { preconditionFailure("a push has one outcome") }
        let (intent, now) = (flight.intent, WallClock.milliseconds)
        measures.answered(intent.purpose, outcome, milliseconds: now - intent.plannedAt)
        outcomes.append((intent, outcome, now))
        if outcomes.count > Self.outcomesKeptMax { outcomes.removeFirst() }
        if case .accepted = outcome {
            logger.debug("a push was accepted", metadata: metadata(intent))
        } else {
            var metadata = metadata(intent)
            metadata["reason"] = "\(outcome.text ?? "")"
            logger.notice("a push was not accepted", metadata: metadata)
        }
        if let moved {
            flight.runner?.addressMoved(name.push, moved)
        } else {
            flight.runner?.arrived(name.push, outcome)
        }
    }

    private func metadata(_ intent: PushIntent) -> Logger.Metadata {
        ["push.id": "\(intent.id.rawValue)", "device.id": "\(intent.device)", "purpose": "\(intent.purpose.rawValue)"]
    }

    // MARK: - Configuration

    /// Uses a `push.json` that has changed. An invalid one changes only `trouble`.
    func look() {
        do {
            guard case .read(let configuration) = try file.look() else { return }
            trouble = nil
            if let configuration { try use(configuration) } else { stopUsing() }
            for listener in listeners { listener.runner?.wayChanged() }
            logger.notice("the configuration of pushes was read again")
        } catch {
            trouble = "\(error)"
            logger.error("the configuration of pushes cannot be used", metadata: ["error": "\(error)"])
        }
    }

    private func use(_ configuration: PushConfiguration) throws {
        let next = try makeSender(configuration.client(in: directory))
        stopUsing()
        sender = next
        self.configuration = configuration
    }

    /// The client completes its requests under way, and is released with the last one. Waiting pushes are returned.
    private func stopUsing() {
        sender?.giveBack()
        (configuration, sender) = (nil, nil)
    }

    private func watch() {
        loop.schedule(after: Self.lookInterval) { [weak self] in
            self?.look()
            self?.watch()
        }
    }

    // MARK: - Looking on

    /// `answer` gets the state of the requests to every push service, on the loop's thread.
    func traffic(_ answer: @escaping (PushTraffic) -> Void) {
        let (handle, bound) = (loop.handle, LoopBound(answer, loop: loop))
        let (apple, browsers) = (sender, web.sender)
        let others = carriers.values.compactMap { $0 === web ? nil : $0.sender }
        let receivers = carriers.values.flatMap(\.states)
        guard apple != nil || browsers != nil || !others.isEmpty else { return answer(PushTraffic(receivers: receivers)) }
        Task {
            var traffic = PushTraffic(
                lanes: await apple?.lanes() ?? [], origins: await browsers?.origins() ?? [], receivers: receivers)
            for other in others { traffic.servers += await other.origins() }
            handle.execute { [traffic] in bound.value(traffic) }
        }
    }

    /// The status for `heliograph push status`, as JSON.
    func status(_ answer: @escaping ([UInt8]) -> Void) {
        look()
        traffic { [self] traffic in
            answer(
                JSONWriter.object { writer in
                    writer.array("teams", configuration?.teams.map(\.bytes) ?? [])
                    writer.field("trouble", trouble)
                    writer.field("flying", Int64(flights.count))
                    writer.array("lanes", traffic.lanes.map(\.bytes))
                    writer.object("web") { writer in
                        writer.flag("used", web.isUsed)
                        writer.field("trouble", web.trouble)
                        writer.array("origins", traffic.origins.map(\.bytes))
                    }
                    writer.array("servers", traffic.servers.map(\.bytes))
                    writer.array("receivers", traffic.receivers.map(\.bytes))
                    writer.array("outcomes", outcomes.reversed().map(Self.bytes))
                })
        }
    }

    /// Apple's answers for `heliograph doctor --ask-apple`, as JSON.
    func askApple(_ answer: @escaping ([UInt8]) -> Void) {
        look()
        guard let configuration, let sender else { return answer(AppleQuestion.bytes([])) }
        let (handle, bound) = (loop.handle, LoopBound(answer, loop: loop))
        Task {
            let answers = await AppleQuestion.ask(configuration, sender)
            handle.execute { bound.value(AppleQuestion.bytes(answers)) }
        }
    }

    private static func bytes(_ intent: PushIntent, _ outcome: PushOutcome, _ at: Int64) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("push", intent.id.rawValue)
            writer.field("device", intent.device)
            writer.field("session", intent.session)
            writer.field("purpose", intent.purpose.rawValue)
            writer.field("at", at)
            writer.field("result", outcome.word)
            writer.field("text", outcome.text)
        }
    }
}
