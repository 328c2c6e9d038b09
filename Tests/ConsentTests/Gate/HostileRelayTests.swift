import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// A relay that has seen everything that devices signed, and says to the host whatever it likes.
@Suite struct HostileRelayTests {
    private static let tries = 10_000

    @Test(arguments: [1] as [UInt64])
    func `of ten thousand hostile decisions none is taken that no device signed for exactly what was shown`(seed: UInt64) throws
    {
        var random = Dice(seed: seed)
        let world = HostileWorld()
        for _ in 0..<4 { try world.ask(&random) }
        var honest = 0
        for index in 0..<Self.tries {
            if random.chance(50) { try world.ask(&random) }
            if random.chance(40) { world.sign(&random) }
            if random.chance(500) { world.restart() }
            if random.chance(2_000) { world.distrustOne(&random) }
            let (session, approval, digest, decision) = world.forged(&random)
            let outcome = world.base.gate.decided(decision, on: approval, in: session, digest: digest, pins: world.base.pins)
            guard case .take(let inner, let taken, let by) = outcome else { continue }
            let place = "try \(index) of seed \(seed)"
            guard let by else {
                #expect(taken.verdict == .deny(message: nil) && taken.clientName == ConsentGate.unsignedName, "\(place)")
                continue
            }
            honest += 1
            let shown = try #require(world.shown[approval], "\(place)")
            #expect(shown.session == session && inner == world.base.inner && world.base.pins[by] != nil, "\(place)")
            let consent = HostileWorld.Consented(device: by, shown: shown.hash(crypto), verdict: "\(taken.verdict)")
            #expect(world.consented.contains(consent), "\(place)")
            #expect(taken.clientName == "Ada's phone", "\(place)")
        }
        #expect(honest > 100, "a test in which nothing is taken shows nothing")
    }

    @Test(arguments: [2] as [UInt64])
    func `of ten thousand hostile commands none is taken that no device signed, and none twice`(seed: UInt64) {
        var random = Dice(seed: seed)
        let world = HostileWorld()
        var (signed, counts): ([SteeringRequest], [KeyID: Int64]) = ([], [:])
        var byCommand: [CommandID: SteeringRequest] = [:]
        var taken: Set<String> = []
        for index in 0..<Self.tries {
            if signed.isEmpty || random.chance(8) {
                let device = random.one(of: world.devices)
                counts[device.id, default: 0] += 1
                let request = world.base.request(
                    random.one(of: HostileWorld.actions), count: counts[device.id] ?? 1, by: device,
                    command: .named("c\(index)"))
                signed.append(request)
                byCommand[request.command] = request
            }
            var request = random.chance(3) ? signed[signed.count - 1] : random.one(of: signed)
            if random.chance(2) { world.spoil(&request, &random, signed) }
            guard case .take(let accepted, let by) = world.base.steer(request) else { continue }
            let real = byCommand[accepted.command]
            let isSigned =
                real?.session == accepted.session && real?.action == accepted.action && real?.signature == accepted.signature
            #expect(isSigned && world.base.pins[by] != nil, "try \(index) of seed \(seed)")
            #expect(taken.insert("\(by) \(accepted.command)").inserted, "try \(index) of seed \(seed): taken twice")
        }
        #expect(taken.count > 100, "a test in which nothing is taken shows nothing")
    }
}

/// SplitMix64: the same seed gives the same tries on every machine. Keys and signatures are random all the same.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[Int.random(in: elements.indices, using: &self)] }
}

/// Requests, shown texts and signatures, as material for a hostile relay.
final class HostileWorld {
    struct Consented: Hashable {
        let device: KeyID
        let shown: ConsentHash
        let verdict: String
    }

    static let verdicts: [Decision.Verdict] = [
        .allow, .allowIn(mode: "plan"), .allowWith(offer: "always"), .allowWith(offer: "always", mode: "plan"),
        .allowEdited(#"{"command":"ls"}"#), .allowEdited(#"{"command":"ls /"}"#),
        .deny(message: nil),
        .deny(message: "no"), .denyWith(offer: "never", message: "no"), .answer([Answer(question: "q", choices: ["a"])]),
        .answer([Answer(question: "q", choices: ["b"], text: "c")]),
    ]
    static let actions: [SteeringAction] = [
        .prompt(.init(text: "go")), .prompt(.init(text: "stop that")), .prompt(.init(text: "go", isCommand: true)),
        .mode("plan"),
        .model("big"), .askAll(false), .ruleOff("tests"), .ruleAdd("[[rule]]"), .ruleChange("tests", to: "[[rule]]"),
        .launch(Launch(.start, project: "p", agent: "a", text: "go")),
        .launch(Launch(.resume("x"), project: "p", agent: "a")),
    ]
    private static let sessions: [SessionID] = ["s1", "s2"].map { .named($0) }
    private static let approvals: [ApprovalID] = ["a1", "a2", "a3"].map { .named($0) }

    let base = GateWorld()
    /// Two that are trusted, one that will be distrusted, and one that never was.
    let devices: [ConsentIdentity]
    private var notes: [ApprovalID: [UInt8]] = [:]
    /// Approvals currently on the screens.
    private(set) var shown: [ApprovalID: ShownText] = [:]
    private var everShown: [ShownText] = []
    private var signed: [(shown: ShownText, decision: Decision)] = []
    /// Decisions about approvals that are on the screens.
    private var current: [(shown: ShownText, decision: Decision)] = []
    private(set) var consented: Set<Consented> = []

    init() {
        devices = [base.device, .new(), .new(), .new()]
        for device in devices[1...2] { try! base.pins.trust(.of(device)) }
    }

    func ask(_ random: inout Dice) throws {
        let approval = random.one(of: Self.approvals)
        let session = random.one(of: Self.sessions)
        let sent = try base.wrap(base.event(approval), in: session)
        notes[approval] = sent.note
        let text = try ShownText(parsing: #require(ShownText.text(inEvent: sent.event.bytes)))
        shown[approval] = text
        everShown.append(text)
        current.removeAll { $0.shown.request.approval == approval }
    }

    /// A person decides about an approval on the screen.
    func sign(_ random: inout Dice) {
        let text = random.one(of: Self.approvals.compactMap { shown[$0] })
        let device = random.one(of: devices)
        let verdict = random.one(of: Self.verdicts)
        let decision = base.decision(verdict, text, by: device)
        signed.append((text, decision))
        current.append((text, decision))
        consented.insert(Consented(device: device.id, shown: text.hash(crypto), verdict: "\(verdict.covered)"))
    }

    func restart() {
        base.gate = ConsentGate(host: base.host.id, crypto)
        base.gate.restore(notes)
    }

    func distrustOne(_ random: inout Dice) { base.pins.distrust(devices[2].id) }

    /// A decision as the relay sends it: an honest one, one with parts of others, or one with a bit turned.
    func forged(_ random: inout Dice) -> (SessionID, ApprovalID, InputDigest, Decision) {
        guard !signed.isEmpty else {
            return (random.one(of: Self.sessions), random.one(of: Self.approvals), base.inner, base.unsigned(.allow))
        }
        let one = random.chance(2) || current.isEmpty ? random.one(of: signed) : random.one(of: current)
        var (session, approval) = (one.shown.session, one.shown.request.approval)
        var (digest, decision) = (one.shown.request.digest, one.decision)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: decision.verdict = random.one(of: Self.verdicts)
            case 1: decision.signature = random.one(of: signed).decision.signature
            case 2: decision.signature = turned(decision.signature, &random)
            case 3: decision.signature = nil
            case 4: session = random.one(of: Self.sessions)
            case 5: approval = random.one(of: Self.approvals)
            case 6: digest = random.one(of: everShown).request.digest
            default:
                // Everything from the newest question, with an old signature.
                if let now = shown[approval] { (session, digest) = (now.session, now.request.digest) }
            }
        }
        return (session, approval, digest, decision)
    }

    func spoil(_ request: inout SteeringRequest, _ random: inout Dice, _ signed: [SteeringRequest]) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: request.action = random.one(of: Self.actions)
        case 1: request.signature = random.one(of: signed).signature
        case 2: request.signature = turned(request.signature, &random)
        case 3: request.command = random.one(of: signed).command
        case 4: request.session = random.one(of: Self.sessions)
        default: request.signature = nil
        }
    }

    private func turned(_ text: String?, _ random: inout Dice) -> String? {
        guard var bytes = text.map({ Array($0.utf8) }), !bytes.isEmpty else { return nil }
        bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8(1) << UInt8.random(in: 0..<7, using: &random)
        return String(decoding: bytes, as: UTF8.self)
    }
}
