import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

/// A trusted device behind the relay: it has what the host has sent, and its own keys.
struct SealedReader {
    static let desk = SessionID("heliograph-h1")!

    private let host: KeyID
    private var keys: [EpochNumber: EpochKey] = [:]

    /// A reader with the keys that the host's newest offer has for this device.
    init(_ bench: ConsentBench, _ device: ConsentBench.Device? = nil) throws {
        host = bench.host.identity.id
        let own = (device ?? bench.device).keys.identity
        let pin = HostPin(
            sign: bench.host.identity.sign, box: bench.host.identity.box, name: "laptop", since: 1, .openSSL)
        let key = try #require(WrapKey(of: own, with: pin, .openSSL))
        let offers = bench.left(of: Self.desk).compactMap { event -> SteeringOffer? in
            if case .steeringOffered(let offer) = event.event.head { offer } else { nil }
        }
        for wrap in try #require(offers.last?.wraps) where wrap.device.rawValue == own.id.text {
            let bytes = try #require(Base64URL.bytes(wrap.wrap))
            keys[EpochNumber(wrap.epoch)] = try key.open(bytes, of: EpochNumber(wrap.epoch))
        }
    }

    var epochs: [EpochNumber] { keys.keys.sorted() }

    private func seal(_ session: SessionID, _ epoch: EpochNumber) throws -> SessionSeal {
        guard let key = keys[epoch] else { throw ConsentError(.notAuthentic, at: "sealed.epoch", "no key of epoch \(epoch)") }
        return SessionSeal(of: session, host: host, key, epoch: epoch, .openSSL)
    }

    /// The plain event, and the number that it was sealed with.
    func open(_ event: Event, of session: SessionID = ConsentBench.session) throws -> (
        number: Int64, event: Event, epoch: EpochNumber
    ) {
        let body = try #require(try JSONDocument(parsing: event.bytes).root.optional("body"))
        let sealed = try Sealed(text: body.string("sealed"), as: .numbered)
        let bytes = try seal(session, sealed.epoch).open(sealed, as: .event(kind: event.head.kind))
        return (sealed.number, try Event(stored: bytes), sealed.epoch)
    }

    func line(_ event: Event, of session: SessionID = ConsentBench.session) throws -> SessionLine? {
        guard let text = event.line else { return nil }
        let sealed = try Sealed(text: text, as: .numbered)
        return try SessionLine(parsing: seal(session, sealed.epoch).open(sealed, as: .line))
    }

    func live(_ text: String, of name: String, in session: SessionID = ConsentBench.session) throws -> LivePiece {
        let sealed = try Sealed(text: text, as: .live)
        return try LivePiece(parsing: seal(session, sealed.epoch).open(sealed, as: .live(of: name)))
    }

    func picture(_ bytes: [UInt8], in session: SessionID = ConsentBench.session) throws -> [UInt8] {
        try seal(session, try #require(epochs.last)).seal(bytes, as: .picture, nonce: .random()).bytes
    }

    func keys(_ text: String, with name: String) throws -> [UInt8] {
        try seal(ConsentBench.session, try #require(epochs.last)).seal(
            Array(text.utf8), as: .words(with: name), nonce: .random()
        ).bytes
    }

    func screen(_ shown: [UInt8], to command: String) throws -> [UInt8] {
        let sealed = try Sealed(text: try JSONDocument(parsing: shown).root.string("sealed"), as: .live)
        return try seal(ConsentBench.session, sealed.epoch).open(sealed, as: .screen(to: command))
    }

    func words(_ text: String, with name: String, in session: SessionID = ConsentBench.session) throws -> String {
        try seal(session, try #require(epochs.last)).seal(Array(text.utf8), as: .words(with: name), nonce: .random()).text
    }
}

extension ConsentBench {
    /// The relay's events of a session, with the host's numbers.
    func left(of session: SessionID = Self.session) -> [(number: Int64, event: Event)] {
        messages.flatMap { message -> [(number: Int64, event: Event)] in
            guard case .events(let batch) = message, batch.session == session else { return [] }
            return batch.events.enumerated().map { (batch.first + Int64($0.offset), $0.element) }
        }
    }

    /// Everything sent, as anyone with the relay's data sees it.
    var leftBytes: String { messages.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "\n") }

    mutating func emit(_ head: EventHead, body: String = "") {
        let event = Event(head, at: 1) { if !body.isEmpty { $0.field("text", body) } }
        tell([.emit(Self.session, event.bytes, isKept: true)])
    }

    /// A session in which something happens, and the host's own.
    static func sealed(trusts: Bool = true) throws -> ConsentBench {
        var bench = try ConsentBench(.signed, trusts: trusts, isSealed: true)
        bench.open()
        return bench
    }

    mutating func open() {
        let projects = [ProjectOffer(name: "secret-site", folder: "~/secret-site")]
        let agents = [StartableAgent(name: "one", title: "One", modes: ["ask"], takesPictures: true)]
        _ = tell(.told(agent: LaunchAdapter.name, LaunchFact.read(projects, agents)))
        flush()
    }

    /// Another device, invited at the host's terminal.
    mutating func joined(_ history: SharedHistory) throws -> Device {
        let device = Device(name: "another")
        try joins(device, history)
        try #require(pins.book[device.id] != nil)
        flush()
        return device
    }

    mutating func joins(_ device: Device, _ history: SharedHistory) throws {
        let secret = ConsentHash.random()
        _ = tell(.consentAsked(.invite(secret, history), HookToken(rawValue: 9)))
        letter(join(TrustSecret(.host(host.identity.id), secret: secret), device).letter)
    }

    mutating func start(_ title: String = "The secret plan") {
        var facts = SessionFacts(agentName: "one")
        (facts.title, facts.project, facts.workingDirectory) = (title, "secret-project", "~/secret-folder")
        tell([
            .remember(Self.session.rawValue, [1]),
            .emit(Self.session, Event(.sessionStarted(facts), at: 1).bytes, isKept: true),
        ])
    }
}
