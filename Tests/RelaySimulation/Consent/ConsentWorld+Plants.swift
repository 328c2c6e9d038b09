import Consent
import HostCore
import RelayProtocol

/// A host that skips one check: the message gets the signature that only this check would have refused.
extension ConsentWorld {
    func altered(_ message: MessageToHost, at host: HostProcess) -> MessageToHost {
        guard let plant = world.plant, plant.isOfConsent, let pins = pins(of: host.index), let key = key(of: host.index) else {
            return message
        }
        switch message {
        case .decision(let session, let approval, let digest, var decision):
            guard let shown = checker.shown[approval], shown.host == host.index else { return message }
            guard let (signer, wanted) = wanted(decision, digest, shown, pins, plant) else { return message }
            let text = wanted.signed(by: signer.identity)
            decision.signature =
                (shown.wantsPasskey(for: wanted.deed) ? confirmed(text, wanted, by: signer) : text).text
            return .decision(session, approval, plant == .otherDigest ? shown.text.request.digest : digest, decision)
        case .steer(var request):
            guard request.action.needsSignature, let (signer, wanted) = wanted(request, key, pins, plant) else {
                return message
            }
            request.signature =
                SignatureText(
                    device: signer.id, number: wanted.count, signature: signer.identity.signature(wanted.statement.bytes))?.text
            // The device's own commands continue above the counts that the fault used.
            if let place = devices.firstIndex(where: { $0.id == signer.id }) {
                devices[place].count = max(devices[place].count, wanted.count)
            }
            return .steer(request)
        case .letter(let letter, let client):
            guard let wanted = wanted(letter.bytes, key, pins, plant), let letter = Letter(wanted) else { return message }
            return .letter(letter, from: client)
        default: return message
        }
    }

    private func wanted(_ bytes: [UInt8], _ key: KeyID, _ pins: SimulatedPins, _ plant: Plant) -> [UInt8]? {
        guard let letter = try? SignedLetter(parsing: bytes) else { return nil }
        func signed(_ content: (Device, Int64) -> LetterContent, by device: Device?) -> [UInt8]? {
            guard let device, let place = devices.firstIndex(where: { $0.id == device.id }) else { return nil }
            let count = (pins.book[device.id]?.count ?? 0) + 1
            devices[place].count = max(devices[place].count, count)
            return SignedLetter(content(device, count), by: device.identity, .simulated).bytes
        }
        switch letter.letter {
        case .vouch(let vouch):
            guard let device = device(vouch.device) else { return nil }
            let isSound = letter.isSigned(by: device.identity.sign, .simulated)
            let mayVouch = pins.trusts(device.id, to: [.vouch])
            let isIts = vouch.host == key
            let isOverlooked =
                switch plant {
                case .uncheckedVouch: !isSound && mayVouch && isIts
                case .vouchWithoutRight: isSound && !pins.mayTrust(device.id, to: [.vouch]) && isIts
                case .otherHostsVouch: isSound && mayVouch && !isIts
                default: false
                }
            let signer = plant == .vouchWithoutRight ? trusted(pins, to: [.vouch]) : device
            guard isOverlooked else { return nil }
            return signed(
                { signer, count in
                    .vouch(
                        Vouch(
                            host: key, sign: vouch.sign, box: vouch.box, name: vouch.name, count: count, device: signer.id))
                }, by: signer)
        case .distrust(let distrust):
            guard plant == .distrustWithoutRight, let device = device(distrust.device), distrust.host == key,
                device.id != distrust.distrusted, !pins.mayTrust(device.id, to: [.vouch]),
                letter.isSigned(by: device.identity.sign, .simulated)
            else { return nil }
            return signed(
                { .distrust(Distrust(host: key, distrusted: distrust.distrusted, count: $1, device: $0.id)) },
                by: trusted(pins, to: [.vouch]))
        default: return nil
        }
    }

    private func trusted(_ pins: SimulatedPins, to rights: Set<PinRight>) -> Device? {
        devices.first { pins.trusts($0.id, to: rights) }
    }

    /// True if the planted fault makes the host overlook that this device may not do it.
    private func isOverlooked(_ device: KeyID, _ rights: Set<PinRight>, _ pins: SimulatedPins, _ plant: Plant) -> Bool {
        guard !pins.mayTrust(device, to: rights) else { return false }
        return switch plant {
        case .strangersSignature: pins.book[device] == nil && !pins.book.wasDistrusted(device)
        case .formerDevice: pins.book.wasDistrusted(device)
        case .exceededRights: pins.book[device] != nil
        default: false
        }
    }

    private func wanted(
        _ decision: Decision, _ digest: InputDigest, _ shown: ShownApproval, _ pins: SimulatedPins, _ plant: Plant
    ) -> (Device, DecisionStatement)? {
        let rights: Set<PinRight> = [.allow]
        func statement(_ device: Device) -> (Device, DecisionStatement) {
            (device, shown.statement(decision.verdict, at: world.now, by: device.id))
        }
        guard let text = decision.signature else {
            return plant == .unsignedDecision ? trusted(pins, to: rights).map(statement) : nil
        }
        guard let claimed = try? SignatureText(parsing: text), let device = device(claimed.device) else { return nil }
        if plant == .uncheckedSignature { return pins.trusts(device.id, to: rights) ? statement(device) : nil }
        guard let signed = checker.decisions[text] else { return nil }
        let expected = shown.statement(decision.verdict, at: signed.issuedAt, by: signed.device)
        if plant == .skippedPasskey {
            let isSkipped = shown.wantsPasskey(for: signed.deed) && !checker.isConfirmed(text)
            return isSkipped && signed == expected && pins.hasPasskey(device.id) ? (device, expected) : nil
        }
        if isOverlooked(device.id, rights, pins, plant) {
            return signed == expected ? trusted(pins, to: rights).map(statement) : nil
        }
        var forgiven = signed
        switch plant {
        case .otherHost: forgiven.host = expected.host
        case .otherSession: forgiven.session = expected.session
        case .otherApproval: forgiven.approval = expected.approval
        case .otherShown: forgiven.shown = expected.shown
        case .otherDigest: forgiven.digest = expected.digest
        case .otherVerdict: forgiven.deed = expected.deed
        case .otherDetail: forgiven.detail = expected.detail
        default: return nil
        }
        return forgiven == expected && signed != expected ? (device, expected) : nil
    }

    private func wanted(
        _ request: SteeringRequest, _ key: KeyID, _ pins: SimulatedPins, _ plant: Plant
    ) -> (Device, SignedCommand)? {
        let rights = request.action.rights
        func command(_ device: Device, count: Int64? = nil) -> (Device, SignedCommand) {
            let next = (pins.book[device.id]?.count ?? 0) + 1
            return (
                device,
                SignedCommand(
                    host: key, session: request.session, command: request.command, action: request.action,
                    count: count ?? next, device: device.id)
            )
        }
        guard let text = request.signature else {
            let isTaken = plant == .unsignedCommand || plant == .unsignedRule && request.action.kind.isAboutRules
            return isTaken ? trusted(pins, to: rights).map { command($0) } : nil
        }
        guard let claimed = try? SignatureText(parsing: text), let device = device(claimed.device) else { return nil }
        if plant == .uncheckedSignature { return pins.trusts(device.id, to: rights) ? command(device) : nil }
        guard let signed = checker.commands[text] else { return nil }
        let expected = command(device, count: signed.count).1
        if isOverlooked(device.id, rights, pins, plant) {
            return signed == expected ? trusted(pins, to: rights).map { command($0) } : nil
        }
        if plant == .oldCount || plant == .repeatedRule && request.action.kind.isAboutRules {
            return signed == expected && pins.trusts(device.id, to: rights) && !pins.isNext(signed.count, of: device.id)
                ? command(device) : nil
        }
        var forgiven = signed
        switch plant {
        case .otherHost: forgiven.host = expected.host
        case .otherSession: forgiven.session = expected.session
        case .otherCommand: forgiven.command = expected.command
        case .otherText: forgiven.action = expected.action
        default: return nil
        }
        guard forgiven == expected, signed != expected, pins.trusts(device.id, to: rights) else { return nil }
        // The device's genuine one may have arrived before.
        return command(device, count: pins.isNext(signed.count, of: device.id) ? signed.count : nil)
    }
}
