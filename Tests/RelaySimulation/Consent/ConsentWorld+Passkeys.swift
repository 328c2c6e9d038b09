import Consent
import HostCore
import HostRules
import RelayProtocol

/// The owner's rule of a simulated host: half of the time a passkey has to confirm allows.
final class GuardingRules: RuleSource {
    let isUnreadable = false
    let rules: KeptRules?

    init() {
        let text = "[[rule]]\nname = 'guarded'\nanswer = 'passkey'\nfor = '*'\nhours = '00:00-12:00'"
        do throws(RuleError) {
            rules = KeptRules(
                try RuleBook(parsing: text), digest: InputDigest(SimulatedKeys.fixed("rules")), isAccepted: true)
        } catch { preconditionFailure("this is a rule: \(error)") }
    }

    /// Its minutes pass as fast as seconds.
    func moment(at wall: Int64) -> RuleMoment { RuleMoment(day: "2026-11-29", minute: Int(wall / 1_000 % 1_440)) }

    func switchOff(_: String) throws(SpoolError) { throw ofOwner }
    func add(_: String, by _: String, at _: Int64) throws(SpoolError) { throw ofOwner }
    func change(_: String, to _: String, by _: String, at _: Int64) throws(SpoolError) { throw ofOwner }
    func target(of path: String) -> String? { path }

    private var ofOwner: SpoolError { SpoolError(.failed, "the simulated owner keeps these rules") }
}

/// Passkeys of simulated devices: which decisions they confirm, and how a browser or its person may fail to.
extension ConsentWorld {
    private static let origin = PasskeyOrigin("https://relay.example")!

    private func passkey(of device: Device) -> ConsentIdentity { SimulatedKeys.identity("passkey \(device.name)") }

    /// Gives each trusted device a passkey that a person has accepted.
    func givePasskeys(_ book: inout PinBook, of host: ConsentIdentity) {
        var desk = TrustDesk(host, .simulated)
        for index in devices.indices where book[devices[index].id] != nil {
            devices[index].count += 1
            let ask = PasskeyAsk(
                host: host.id, passkey: passkey(of: devices[index]).sign, origin: Self.origin, count: devices[index].count,
                device: devices[index].id)
            let letter = SignedLetter(.passkey(ask), by: devices[index].identity, .simulated).bytes
            _ = desk.received(letter, at: 0, wall: 0, nonce: SimulatedKeys.fixed("nonce"), pins: &book)
            precondition(book.takePasskey(of: devices[index].id) != nil, "a trusted device asks for its passkey")
        }
    }

    func confirmed(_ text: SignatureText, _ statement: DecisionStatement, by device: Device) -> SignatureText {
        with(proof(over: statement.bytes, by: passkey(of: device)), text)
    }

    /// Adds a passkey's proof that is mostly correct; else missing, of another passkey or statement, or without verifying the
    /// person.
    func perhapsConfirmed(
        _ text: SignatureText, _ statement: DecisionStatement, by device: Device
    ) -> (text: SignatureText, isConfirmed: Bool) {
        switch dice.below(10) {
        case 0: (text, false)
        case 1: (with(proof(over: statement.bytes, by: passkey(of: stranger)), text), false)
        case 2: (with(proof(over: statement.bytes + [0], by: passkey(of: device)), text), false)
        case 3: (with(proof(over: statement.bytes, by: passkey(of: device), flags: 0x01), text), false)
        default: (confirmed(text, statement, by: device), true)
        }
    }

    private func proof(over statement: [UInt8], by passkey: ConsentIdentity, flags: UInt8 = 0x05) -> PasskeyProof {
        let client = JSONWriter.object {
            $0.field("type", "webauthn.get")
            $0.field("challenge", Base64URL.text(SimulatedHash.bytes(statement)))
            $0.field("origin", Self.origin.text)
        }
        let authenticator = SimulatedHash.bytes(Array(Self.origin.host.utf8)) + [flags, 0, 0, 0, 0]
        guard
            let proof = PasskeyProof(
                authenticator: authenticator, client: client,
                signature: passkey.signature(authenticator + SimulatedHash.bytes(client)))
        else { preconditionFailure("these are the sizes of a proof") }
        return proof
    }

    private func with(_ proof: PasskeyProof, _ text: SignatureText) -> SignatureText {
        guard
            let proven = SignatureText(device: text.device, number: text.number, signature: text.signature, proof: proof)
        else { preconditionFailure("its other parts stay") }
        return proven
    }
}
