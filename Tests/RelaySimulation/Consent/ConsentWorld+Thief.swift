import Consent
import HostCore
import RelayModel
import RelayProtocol

/// Forgeries from messages that a relay has seen; it never has a trusted device's key.
extension ConsentWorld {
    /// Faults with a probability per second.
    func everySecond() {
        let ready = signedHosts.filter { $0.daemon?.isLive == true }
        guard !ready.isEmpty else { return }
        if dice.chance(world.faults.replay), !captured.isEmpty {
            let (message, host) = (dice.pick(replayable), dice.pick(ready))
            deliver(dice.chance(0.5) ? message : forgery(of: message, for: host) ?? message, to: host, isForged: true)
        }
        if dice.chance(world.faults.distrust) { changeTrust(at: dice.pick(ready)) }
        vouching?.everySecond(ready)
    }

    /// Where that fault is planted, changes of rules if there are any: they are few.
    private var replayable: [MessageToHost] {
        let rules = world.plant == .repeatedRule ? captured.filter(\.isAboutRules) : []
        return rules.isEmpty ? captured : rules
    }

    func forgery(of message: MessageToHost, for host: HostProcess) -> MessageToHost? {
        switch message {
        case .decision(let session, let approval, let digest, let decision):
            forgery(of: decision, session, approval, digest, for: host)
        case .steer(let request): .steer(forgery(of: request, for: host))
        case .letter(let letter, let client): forgery(of: letter).map { .letter($0, from: client) }
        default: nil
        }
    }

    private func forgery(
        of decision: Decision, _ session: SessionID, _ approval: ApprovalID, _ digest: InputDigest, for host: HostProcess
    ) -> MessageToHost? {
        var (forged, session, approval, digest) = (decision, session, approval, digest)
        switch dice.below(8) {
        case 0: forged.signature = nil
        case 1: forged.signature = garbled(forged.signature)
        case 2: forged.verdict = forged.verdict.deed == .allow ? .allowWith(offer: SimulatedForm.always.id) : .allow
        case 3: digest = Agent.foreignDigest
        case 4: session = otherSession
        case 5:
            // The same decision for another question, with everything changed but the signature.
            guard let other = openQuestion(at: host) else { return nil }
            (session, approval, digest) = (other.text.session, other.text.request.approval, other.text.request.digest)
        case 6:
            guard let other = captured.lazy.compactMap({ $0.decision?.signature }).last else { return nil }
            forged.signature = other
        default:
            // Signed by a key that is not trusted, or no longer, or not for this.
            guard let shown = checker.shown[approval], let thief = untrusted(at: host, [.allow]) else { return nil }
            forged.verdict = .allow
            forged.signature = sign(shown.statement(.allow, at: world.now, by: thief.id), by: thief)
        }
        // Only denials need no signature, and the log would not show who made this one.
        if forged.verdict.deed == .deny { forged.verdict = .allow }
        forged.command = CommandID(world.name("f"))!
        return .decision(session, approval, digest, forged)
    }

    private func forgery(of request: SteeringRequest, for host: HostProcess) -> SteeringRequest {
        var forged = request
        switch world.plant == .repeatedRule ? 5 : dice.below(7) {
        case 0: forged.signature = nil
        case 1: forged.signature = garbled(forged.signature)
        case 2: forged.action = other(than: forged.action)
        case 3: forged.session = otherSession
        case 4: forged.command = CommandID(world.name("f"))!
        case 5: break
        default:
            guard let key = key(of: host.index), let thief = untrusted(at: host, request.action.rights) else { break }
            let command = SignedCommand(
                host: key, session: request.session, command: request.command, action: request.action,
                count: Int64(world.lastName) + 1, device: thief.id)
            forged.signature = sign(command, by: thief)
        }
        // In the name of another client, so that it is new to the host.
        forged.by = Named(id: ClientID(world.name("thief"))!, name: "thief")
        return forged
    }

    private func forgery(of letter: Letter) -> Letter? {
        var bytes = letter.bytes
        if dice.chance(0.8) { bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8)) }
        return Letter(bytes)
    }

    /// The text with another signature, number or device.
    private func garbled(_ text: String?) -> String? {
        guard let text, let signature = try? SignatureText(parsing: text) else { return "garbled" }
        var bytes = signature.signature
        switch dice.below(3) {
        case 0: bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
        case 1: return SignatureText(device: signature.device, number: signature.number + 1, signature: bytes)?.text
        default: return SignatureText(device: dice.pick(devices).id, number: signature.number, signature: bytes)?.text
        }
        return SignatureText(device: signature.device, number: signature.number, signature: bytes)?.text
    }

    private func openQuestion(at host: HostProcess) -> ShownApproval? {
        let open = (host.daemon?.questions ?? []).filter(\.isOpen).compactMap { checker.shown[$0.approval] }
        return open.isEmpty ? nil : dice.pick(open)
    }

    private func untrusted(at host: HostProcess, _ rights: Set<PinRight>) -> Device? {
        let able = (devices + [stranger]).filter { pins(of: host.index)?.mayTrust($0.id, to: rights) == false }
        return able.isEmpty ? nil : dice.pick(able)
    }

    // MARK: The terminal

    /// A person at the host's terminal ends the trust in a device, or admits one.
    private func changeTrust(at host: HostProcess) {
        guard let key = key(of: host.index), let pins = pins(of: host.index), let daemon = host.daemon else { return }
        let place = dice.below(devices.count)
        let device = devices[place]
        guard pins.book[device.id] == nil else {
            world.trace.note(world.now, host.name, "distrusts", device.name)
            checker.thrownOut(device.id, by: host.index)
            return daemon.asked(.distrust(device.id.text)) { _ in }
        }
        world.trace.note(world.now, host.name, "lets in", device.name)
        let name = world.name("secret")
        let secret: ConsentHash = SimulatedKeys.fixed(name)
        let client = world.clients[place].identity.client
        let history = world.sealing?.history(at: host.index) ?? .all
        daemon.asked(.invite(secret, history)) { [self] _ in
            checker.letIn(device.id, by: host.index)
            world.sealing?.invited(device.id, history, at: host.index)
            let attempt = JoinAttempt(
                TrustSecret(.host(key), secret: secret), host: key, by: device.identity, name: device.name,
                nonce: SimulatedKeys.fixed("nonce \(name)"), .simulated)
            daemon.asked(.awaitDevice) { _ in }
            guard let letter = Letter(attempt.letter) else { preconditionFailure("a letter has room for a join") }
            world.after(world.transit()) { [self] _ in
                if host.daemon?.isLive == true { tell(.letter(letter, from: client), to: host) }
            }
        }
    }
}

extension MessageToHost {
    fileprivate var isAboutRules: Bool {
        if case .steer(let request) = self { request.action.kind.isAboutRules } else { false }
    }

    var decision: Decision? { if case .decision(_, _, _, let decision) = self { decision } else { nil } }
}
