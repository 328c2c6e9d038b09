import Consent
import ConsentKeys
import HeliographLink
import RelayProtocol
import Testing

@testable import HostCore

/// A host that verifies, with keys of its own, on one disk over any number of lives; and the devices that sign for it.
struct ConsentBench {
    static let session = SessionID("one-s")!
    static let digest = InputDigest(String(repeating: "0a", count: 32))!

    struct Device {
        let name: String
        let keys = PrivateKeys()
        var count: Int64 = 0
        var id: KeyID { keys.identity.id }
    }

    let host = PrivateKeys()
    let disk = MemoryDisk()
    let pins: MemoryPins
    let diary = ScriptedAdapter.Diary()
    var device = Device(name: "Ada's phone")
    private(set) var spool: Spool
    private var machine: HostMachine
    private var isSealed: Bool
    /// Messages to the relay in their order, and those that are live only.
    private(set) var messages: [HostMessage] = []
    /// The last number of each session on the relay's disk.
    private var through: [SessionID: Int64] = [:]
    private(set) var now = HostInstant(wall: 1_500_000_000_000, monotonic: 50_000)
    private(set) var letters: [Letter] = []
    private(set) var answers: [UInt64: String] = [:]
    private var commands = 0
    private var typed: [String] = []
    /// Keys as a terminal received them.
    private(set) var keys: [String] = []
    /// Questions that nobody will see, as reported to the adapter.
    private(set) var lost: [String] = []

    /// A host that trusts the device, unless `trusts` is false.
    init(_ setting: ConsentSetting = .signed, trusts: Bool = true, isSealed: Bool = false) throws {
        self.isSealed = isSealed
        var book = PinBook(generation: host.generation)
        if trusts {
            let own = device.keys.identity
            _ = try book.trust(
                Pin(
                    sign: own.sign, box: own.box, name: device.name, since: 1, by: .terminal, may: Set(PinRight.allCases),
                    .openSSL))
        }
        pins = MemoryPins(book)
        spool = try Spool(disk: disk) { _ in }
        machine = Self.machine(host, pins, spool, diary, setting, isSealed)
        _ = tell(.started(holds: Holds()))
        connect()
    }

    private static func machine(
        _ host: PrivateKeys, _ pins: MemoryPins, _ spool: Spool, _ diary: ScriptedAdapter.Diary, _ setting: ConsentSetting,
        _ isSealed: Bool
    ) -> HostMachine {
        let seed = (0..<HostConsent.seedBytes).map { _ in UInt8.random(in: .min ... .max) }
        let consent = HostConsent(
            host.identity, pins.book, setting, epochs: isSealed ? pins.epochs : nil, on: pins, seed: seed, .openSSL)
        // A host's own session is where devices find its keys.
        let launcher = isSealed ? [LaunchAdapter(fresh: "h1", at: HostInstant(wall: 0, monotonic: 0))] : []
        return HostMachine(
            agents: [ScriptedAdapter("one", diary)] + launcher as [any AgentAdapter], spool: spool,
            link: LinkMachine(software: "test", name: "laptop", key: consent.key), steering: .everyone, consent: consent)
    }

    private mutating func connect() {
        let sent = messages.count
        _ = tell(.linkOpened)
        welcome(isSealed ? messages[sent...] : [])
    }

    /// The relay's answer: how far it has the sessions that were named.
    private mutating func welcome(_ sent: ArraySlice<HostMessage>) {
        let asked = sent.flatMap { message -> [SessionID] in
            if case .hello(let hello) = message { hello.sessions } else { [] }
        }
        let welcome = Welcome(software: "r", epoch: Epoch("e")!, heartbeat: Heartbeat(pingSeconds: 7, hangUpSeconds: 9))
        let known = asked.map { SessionProgress(session: $0, through: through[$0] ?? 0) }
        _ = tell(.received(.welcome(welcome, host: Named(id: HostID("h")!, name: "n"), sessions: known)))
    }

    /// The daemon is killed and starts again.
    mutating func restart(_ setting: ConsentSetting = .signed, isSealed: Bool? = nil) throws {
        self.isSealed = isSealed ?? self.isSealed
        spool = try Spool(disk: disk) { _ in }
        machine = Self.machine(host, pins, spool, diary, setting, self.isSealed)
        _ = tell(.started(holds: Holds()))
        connect()
    }

    // MARK: The relay

    /// The connection ends, and there is another.
    mutating func reconnect() {
        _ = tell(.linkClosed(.peer(code: nil, reason: ""), dice: 0))
        _ = tell(.fired(.retry))
        connect()
    }

    /// Sends all that waits; the relay has it on disk unless it `loses` it.
    mutating func flush(loses: Bool = false) {
        let sent = messages.count
        _ = tell(.fired(.flush))
        let isAsked = messages[sent...].contains { if case .hello = $0 { true } else { false } }
        if isAsked {
            welcome(messages[sent...])
            _ = tell(.fired(.flush))
        }
        guard !loses else { return }
        for case .events(let events) in messages[sent...] {
            through[events.session] = events.first + Int64(events.events.count) - 1
            _ = tell(.received(.ack([SessionProgress(session: events.session, through: through[events.session]!)])))
        }
    }

    // MARK: Facts

    /// Passes a fact in. Returns the facts for the adapter.
    mutating func tell(_ fact: HostFact) -> [String] {
        for order in machine.handle(fact, at: now) {
            switch order {
            case .stream(let bytes): if let message = try? HostMessage(parsing: bytes) { messages.append(message) }
            case .send(let bytes):
                let message = try? HostMessage(parsing: bytes)
                if let message { messages.append(message) }
                switch message {
                case .letter(let letter, _)?: letters.append(letter)
                case .answered(_, .failed(let notice))?: typed.append(notice.message)
                default: break
                }
            case .askTerminal(let call):
                guard case .type(let bytes, _) = call.wish else { continue }
                typed.append("typed")
                keys.append(String(decoding: bytes, as: UTF8.self))
            case .respond(let token, let answer):
                answers[token.rawValue] = answer.map { String(decoding: $0, as: UTF8.self) } ?? ""
            default: break
            }
        }
        defer { diary.lines = [] }
        lost += diary.lines.filter { $0.contains("not recorded") }
        return diary.lines.filter { $0.hasPrefix("one hears ") }.map { String($0.dropFirst(10)) }.filter {
            $0.hasPrefix("decided") || $0.hasPrefix("refused") || $0.hasPrefix("steer")
        }
    }

    mutating func tell(_ effects: [AgentEffect<ScriptedAdapter.Order>]) { _ = tell(.told(agent: "one", effects)) }

    mutating func pass(_ duration: Duration) {
        now.wall += duration.milliseconds
        now.monotonic += duration.milliseconds
        _ = tell(.fired(.agents))
    }

    /// Asks a question with a desk's note, and returns the shown text.
    mutating func ask(
        _ approval: String = "a1", _ body: String = #"{"command":"ls"}"#, questions: [QuestionOffer] = []
    ) throws -> Event {
        let id = ApprovalID(approval)!
        var request = ApprovalRequest(approval: id, kind: .tool, tool: "Run", title: "Run: ls", digest: Self.digest)
        request.modes = ["default", "acceptEdits"]
        request.questions = questions
        let event = Event(.approvalRequested(request), at: 1) { $0.raw("input", Array(body.utf8)) }
        let note = JSONWriter.object { $0.field("session", Self.session) }
        tell([.remember(approval, note), .emit(Self.session, event.bytes, isKept: true)])
        return try #require(events.last { $0.head.kind == "approval.requested" })
    }

    mutating func decide(
        _ verdict: Decision.Verdict, _ event: Event, signature: String?, as digest: InputDigest? = nil, on other: String? = nil
    ) -> [String] {
        guard case .approvalRequested(let request) = event.head else { return ["no request"] }
        commands += 1
        let decision = Decision(
            verdict, client: ClientID("c1")!, clientName: "The relay's word", at: 2, command: CommandID("k\(commands)")!,
            signature: signature)
        return tell(
            .received(
                .decision(
                    Self.session, other.flatMap { ApprovalID($0) } ?? request.approval, digest ?? request.digest, decision)))
    }

    mutating func steer(
        _ action: SteeringAction, _ id: String, signature: String?, of session: SessionID = Self.session
    ) -> [String] {
        let request = SteeringRequest(
            command: CommandID(id)!, session: session, by: Named(id: ClientID("c1")!, name: "phone"), action: action,
            signature: signature)
        return tell(.received(.steer(request)))
    }

    /// Types keys. Returns `typed`, or the reason for a refusal.
    mutating func type(_ keys: [UInt8], _ id: String, signature: String?, seen: String? = "t1.1") -> String {
        let call = ScreenCall(
            command: CommandID(id)!, session: Self.session, by: Named(id: ClientID("c1")!, name: "phone"),
            wish: .type(keys, seen: seen),
            signature: signature)
        typed = []
        _ = tell(.received(.screen(call)))
        return typed.joined(separator: " ")
    }

    /// The message sent when a terminal shows `drawing` to a look.
    mutating func look(_ id: String, shows drawing: [UInt8]) -> [UInt8]? {
        let by = Named<ClientTag>(id: ClientID("c1")!, name: "phone")
        let call = ScreenCall(command: CommandID(id)!, session: Self.session, by: by, wish: .look(after: nil))
        _ = tell(.received(.screen(call)))
        _ = tell(.terminalAnswered(call.name, .screen(drawing)))
        guard case .answered(_, .screen(let shown))? = messages.last else { return nil }
        return shown
    }

    mutating func letter(_ bytes: [UInt8], from client: String = "c1") {
        _ = tell(.received(.letter(Letter(bytes)!, from: Named(id: ClientID(client)!, name: "phone"))))
    }

    // MARK: The device's side

    func signature(_ verdict: Decision.Verdict, _ event: Event, by device: Device? = nil) throws -> String {
        let shown = try ShownText(parsing: try #require(ShownText.text(inEvent: event.bytes)))
        let identity = (device ?? self.device).keys.identity
        return DecisionStatement(
            host: shown.host, session: shown.session, approval: shown.request.approval, shown: shown.hash(.openSSL),
            digest: shown.request.digest, verdict: verdict, issuedAt: 5, device: identity.id, .openSSL
        ).signed(by: identity).text
    }

    mutating func signature(_ action: SteeringAction, _ id: String, of session: SessionID = Self.session) -> String {
        device.count += 1
        return action.statement(
            host: host.identity.id, session: session, command: CommandID(id)!, count: device.count, device: device.id,
            .openSSL
        ).signed(by: device.keys.identity).text
    }

    mutating func keysSignature(_ keys: [UInt8], _ id: String, by device: Device? = nil, seen: String = "t1.1") -> String {
        self.device.count += 1
        let identity = (device ?? self.device).keys.identity
        return KeysStatement(
            host: host.identity.id, session: Self.session, command: CommandID(id)!, seen: seen, keys: keys,
            count: self.device.count,
            device: identity.id, .openSSL
        ).signed(by: identity).text
    }

    func join(_ secret: TrustSecret, _ device: Device) -> JoinAttempt {
        JoinAttempt(secret, host: host.identity.id, by: device.keys.identity, name: device.name, nonce: .random(), .openSSL)
    }

    // MARK: What is on disk

    /// The events that wait for the relay, of the one session.
    var events: [Event] {
        guard let batch = spool.index.batch(Self.session, after: 0, countMax: 256, bytesMax: 1 << 20),
            let stored = try? spool.read(batch)
        else { return [] }
        return stored.compactMap { try? Event(stored: $0) }
    }

    var notes: Set<String> { Set(spool.index.notes.keys) }

    /// Steps and ends of commands, such as `k1 refused: why`.
    var steps: [String] {
        events.compactMap { event in
            guard case .steeringChanged(let change) = event.head else { return nil }
            return "\(change.name.command) \(change.stage.rawValue)\(change.reason.map { ": \($0)" } ?? "")"
        }
    }
}
