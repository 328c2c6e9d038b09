import Consent
import ConsentKeys
import RelayProtocol

@testable import DeviceConsent
@testable import HeliographClient

/// A host that seals, and a relay's messages about it.
struct SealingHost {
    static let session = SessionID("s1")!
    static let itsOwn = SessionID("heliograph-h1")!

    let keys = PrivateKeys()
    private(set) var epochs: [EpochNumber: EpochKey] = [1: .random()]

    var identity: ConsentIdentity { keys.identity }
    var id: HostKeyID { HostKeyID(identity.id) }
    var pin: HostPin { HostPin(sign: identity.sign, box: identity.box, name: "laptop", since: 1, .openSSL) }
    var epoch: EpochNumber { epochs.keys.max() ?? 1 }

    mutating func beginEpoch() { epochs[epoch + 1] = .random() }

    func alias(_ name: String) -> String { AliasKey(of: identity.id, epochs[epoch]!, .openSSL).alias(of: name) }

    func wraps(for device: ConsentIdentity, of wanted: [EpochNumber]? = nil) -> [KeyWrap] {
        guard let key = WrapKey(of: identity, with: device.id, box: device.box, .openSSL) else { return [] }
        return (wanted ?? epochs.keys.sorted()).compactMap { number in
            epochs[number].flatMap { epochKey in
                let wrap = key.wrap(epochKey, of: number, nonce: .random())
                return KeyWrap(epoch: Int64(number), device: HostKeyID(device.id), wrap: Base64URL.text(wrap))
            }
        }
    }

    func seal(of session: SessionID = session, _ epoch: EpochNumber? = nil) -> SessionSeal {
        let number = epoch ?? self.epoch
        return SessionSeal(of: session, host: identity.id, epochs[number]!, epoch: number, .openSSL)
    }

    // MARK: - As it goes out

    func event(
        _ head: EventHead, _ number: Int64, in session: SessionID = session, epoch: EpochNumber? = nil,
        wraps: [KeyWrap]? = nil, body: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        let plain = Event(head, at: 5, body: body)
        let sealed = seal(of: session, epoch).seal(
            plain.bytes, as: .event(kind: head.kind), number: number, nonce: .random())
        let names = AliasKey(of: identity.id, epochs[epoch ?? self.epoch]!, .openSSL)
        return SealedEvent(sealed.text, wraps: wraps).bytes(of: plain) { names.alias(of: $0) }
    }

    func line(_ title: String, _ number: Int64, from: Int64? = nil, asks: String? = nil) -> String {
        var line = SessionLine()
        line.from = from
        (line.title, line.project, line.operation, line.asks) = (title, "site", "Running: ls", asks)
        return seal().seal(line.bytes, as: .line, number: number, nonce: .random()).text
    }

    // MARK: - As the relay says it

    func summary(_ session: SessionID = session, line: String? = nil, _ offer: SteeringOffer? = nil) -> Summary {
        var summary = Summary(
            session: session, host: Named(id: HostID("h1")!, name: "laptop"), hostIsConnected: true, agentName: "claude-code",
            startedAt: 1)
        summary.line = line
        summary.steering = offer
        return summary
    }

    /// Summary of the session that represents the host.
    func ownSummary(_ wraps: [KeyWrap]) -> Summary {
        var offer = SteeringOffer(actions: [.start], projects: [ProjectOffer(name: "site", folder: "~/site")])
        offer.consent = id
        let bytes = event(.steeringOffered(offer), 1, in: Self.itsOwn, wraps: wraps)
        guard case .steeringOffered(let sent)? = try? Event(stored: bytes).head else { preconditionFailure("it is an offer") }
        return summary(Self.itsOwn, sent)
    }

    func events(_ events: [[UInt8]], first: Int64) -> MessageToClient {
        .events(SessionEvents(session: Self.session, epoch: Epoch("e1")!, first: first, events: events))
    }
}

extension ContentOpener {
    /// A terminal that the host trusts, with the session's summary and the keys that the host offers. `isListedFirst`: the session
    /// is listed only before the offer.
    static func trusted(
        _ host: SealingHost, _ device: PrivateKeys = PrivateKeys(), isListedFirst: Bool = false
    ) -> ContentOpener {
        let (pin, identity) = (host.pin, device.identity)
        var opener = ContentOpener { (identity, [pin]) }
        if isListedFirst { _ = opener.open(.summary(host.summary())) }
        _ = opener.open(.summary(host.ownSummary(host.wraps(for: identity))))
        if !isListedFirst { _ = opener.open(.summary(host.summary(line: host.line("Fix it", 1)))) }
        return opener
    }

    mutating func open(_ message: MessageToClient) -> [MessageToClient] { open(message, at: 0) }

    mutating func events(_ message: MessageToClient, at now: Int64 = 0) -> [[UInt8]] {
        guard case .events(let batch)? = open(message, at: now).first else { return [] }
        return batch.events
    }

    mutating func summary(_ summary: Summary) -> Summary? {
        guard case .summary(let opened)? = open(.summary(summary)).first else { return nil }
        return opened
    }
}
