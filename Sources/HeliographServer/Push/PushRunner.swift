import Logging
import PushAPNs
import PushPlanner
import PushWeb
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Carries out intents: adds what the core cannot make, hands them to APNs, and says what became of each. Lives on the
/// loop's thread.
///
/// A push that has no outcome yet is ordered again by every new life of the relay. One that is still on its way then is not sent
/// twice: its answer goes to who ordered it last.
final class PushRunner {
    /// Said where nobody has told us who we are to Apple.
    static let notSetUp = "no APNs key is set up: heliograph push setup"
    /// Outcomes that `heliograph push status` looks back on.
    static let outcomesKeptMax = 20

    /// A configuration that was mended is in use after this at the latest.
    static let lookInterval: Duration = .seconds(10)

    /// A push on its way.
    private struct Flight {
        let intent: PushIntent
        /// The relay's life that ordered it last.
        var life: Int
        /// What sends it. A client that was replaced lives for as long as something of its is on the way.
        var sender: (any PushSender)?
    }

    private let loop: EventLoop
    /// Gets what became of each order, once.
    private let mailbox: CoreMailbox
    private let directory: String
    private let epoch: Epoch
    private let codes: PushCodes
    private let measures: PushMeasures
    private let logger: Logger
    private let web: WebPushes
    private let makeSender: (APNsConfiguration) throws -> any PushSender
    private var file: PushConfigurationFile
    private var configuration: PushConfiguration?
    private var sender: (any PushSender)?
    /// Why the configuration on disk is not the one in use.
    private var trouble: String?
    private var flights: [PushID: Flight] = [:]
    /// Outcomes that came while nobody was there to hear them.
    private var unheard: [PushID: PushOutcome] = [:]
    private var life = 0
    private var isSuspended = false
    private var outcomes: [(intent: PushIntent, outcome: PushOutcome, at: Int64)] = []

    /// Throws where `push.json` or what it names cannot be used: better now than when the first approval does not ring.
    init(
        directory: String, codes: PushCodes, epoch: Epoch, web: WebPushes, loop: EventLoop, mailbox: CoreMailbox,
        measures: PushMeasures, logger: Logger,
        makeSender: @escaping (APNsConfiguration) throws -> any PushSender = { try APNsClient($0) }
    ) throws {
        self.directory = directory
        self.epoch = epoch
        self.loop = loop
        self.mailbox = mailbox
        self.measures = measures
        self.logger = logger
        self.web = web
        self.makeSender = makeSender
        self.codes = codes
        file = PushConfigurationFile(directory: directory)
        if case .read(let configuration?) = try file.look() { try use(configuration) }
        watch()
    }

    /// Apps whose cards may listen to channels; empty where nothing is set up. Throws as `init` does.
    static func broadcastBundles(in directory: String) throws -> Set<String> {
        var file = PushConfigurationFile(directory: directory)
        guard case .read(let configuration?) = try file.look() else { return [] }
        return Set(configuration.teams.flatMap(\.broadcasts))
    }

    /// What a browser subscribes with. Throws why nothing is pushed to browsers.
    func webPushKey() throws(PushObstacleError) -> WebPushes.PublicKey { try web.publicKey() }

    /// Other relays have it, too. Hands back what a browser subscribes with.
    func use(_ key: VAPIDKey) -> String { web.use(key) }

    /// Nothing is on its way.
    var isIdle: Bool { flights.isEmpty }
    var underWay: Int { flights.count }

    /// The push that carried this code; nil for whatever is none of ours.
    func push(ofCode code: String) throws -> PushID? { try codes.push(ofCode: code) }

    // MARK: - The relay's lives

    /// What is answered from now on is kept until the next relay asks.
    func suspend() {
        isSuspended = true
        // Whatever an earlier life left over was decided otherwise by the one that followed.
        unheard = [:]
    }

    /// Another relay begins: it orders again what has no outcome in its log.
    func resume() {
        isSuspended = false
        life += 1
    }

    /// For the end.
    func stop() {
        sender?.stop()
        web.stop()
    }

    // MARK: - Orders

    func push(_ intent: PushIntent) {
        if flights[intent.id] != nil {
            flights[intent.id]?.life = life
            return
        }
        flights[intent.id] = Flight(intent: intent, life: life)
        if let outcome = unheard.removeValue(forKey: intent.id) { return tell(intent.id, outcome) }
        measures.planned(intent.purpose)
        look()
        send(intent)
    }

    private func send(_ intent: PushIntent) {
        switch intent.service {
        case .apns: sendToApple(intent)
        case .web: sendToBrowser(intent)
        }
    }

    private func sendToBrowser(_ intent: PushIntent) {
        let (handle, bound) = (loop.handle, LoopBound(self, loop: loop))
        do throws(PushObstacleError) {
            try web.send(intent, codes, at: WallClock.milliseconds) { outcome in
                handle.execute { bound.value.arrived(intent.id, outcome) }
            }
        } catch { answerSoon(intent.id, .notSent(error.sentence)) }
    }

    private func sendToApple(_ intent: PushIntent) {
        guard let configuration, let sender else { return answerSoon(intent.id, .notSent(trouble ?? Self.notSetUp)) }
        guard let team = configuration.team(of: intent.app) else {
            return answerSoon(intent.id, .notSent("no APNs key is set up for \(intent.app): heliograph push setup"))
        }
        let material = PushMaterial(team: team, epoch: epoch, codes: codes, now: WallClock.milliseconds)
        do throws(PushObstacleError) {
            let request = try intent.request(with: material)
            flights[intent.id]?.sender = sender
            let (handle, bound) = (loop.handle, LoopBound(self, loop: loop))
            sender.submit(request) { outcome in
                handle.execute {
                    // What the old client did not get away, the new one sends.
                    if case .notSent(.replaced) = outcome.result { return bound.value.send(intent) }
                    bound.value.arrived(intent.id, PushOutcome(outcome))
                }
            }
        } catch {
            answerSoon(intent.id, .notSent(error.sentence))
        }
    }

    /// Not now: the core is still giving orders.
    private func answerSoon(_ push: PushID, _ outcome: PushOutcome) {
        let bound = LoopBound(self, loop: loop)
        loop.handle.execute { bound.value.arrived(push, outcome) }
    }

    private func arrived(_ push: PushID, _ outcome: PushOutcome) {
        guard let flight = flights[push] else { preconditionFailure("a push has one outcome") }
        defer { tell(push, outcome) }
        let now = WallClock.milliseconds
        measures.answered(flight.intent.purpose, outcome, milliseconds: now - flight.intent.plannedAt)
        outcomes.append((flight.intent, outcome, now))
        if outcomes.count > Self.outcomesKeptMax { outcomes.removeFirst() }
        if case .accepted = outcome {
            logger.debug("a push was accepted", metadata: metadata(flight.intent))
        } else {
            var metadata = metadata(flight.intent)
            metadata["reason"] = "\(outcome.text ?? "")"
            logger.notice("a push was not accepted", metadata: metadata)
        }
    }

    private func tell(_ push: PushID, _ outcome: PushOutcome) {
        guard let flight = flights.removeValue(forKey: push) else { preconditionFailure("a push has one outcome") }
        if !isSuspended, flight.life == life { mailbox.put(.pushAnswered(push, outcome)) } else { unheard[push] = outcome }
    }

    private func metadata(_ intent: PushIntent) -> Logger.Metadata {
        ["push.id": "\(intent.id.rawValue)", "device.id": "\(intent.device)", "purpose": "\(intent.purpose.rawValue)"]
    }

    // MARK: - Configuration

    /// Takes up a `push.json` that has changed. One that is wrong changes nothing but `trouble`.
    func look() {
        do {
            guard case .read(let configuration) = try file.look() else { return }
            trouble = nil
            if let configuration { try use(configuration) } else { stopUsing() }
            mailbox.put(.pushWayChanged)
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

    /// What the client has under way it brings to its end; its last flight lets go of it. What waits comes back.
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

    /// `answer` gets the state of the traffic with every push service, on the loop's thread.
    func traffic(_ answer: @escaping (PushTraffic) -> Void) {
        let (handle, bound) = (loop.handle, LoopBound(answer, loop: loop))
        let (apple, browsers) = (sender, web.sender)
        guard apple != nil || browsers != nil else { return answer(PushTraffic()) }
        Task {
            let traffic = PushTraffic(lanes: await apple?.lanes() ?? [], origins: await browsers?.origins() ?? [])
            handle.execute { bound.value(traffic) }
        }
    }

    /// For `heliograph push status`: JSON.
    func status(_ answer: @escaping ([UInt8]) -> Void) {
        look()
        traffic { [self] traffic in
            // Nobody with browsers alone is missing a key of Apple's.
            let missing = configuration == nil && !web.isUsed ? Self.notSetUp : nil
            answer(
                JSONWriter.object { writer in
                    writer.array("teams", configuration?.teams.map(\.bytes) ?? [])
                    writer.field("trouble", trouble ?? missing)
                    writer.field("flying", Int64(flights.count))
                    writer.array("lanes", traffic.lanes.map(\.bytes))
                    writer.object("web") { writer in
                        writer.flag("used", web.isUsed)
                        writer.field("trouble", web.trouble)
                        writer.array("origins", traffic.origins.map(\.bytes))
                    }
                    writer.array("outcomes", outcomes.reversed().map(Self.bytes))
                })
        }
    }

    /// For `heliograph doctor --ask-apple`: JSON.
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
