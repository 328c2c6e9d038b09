import Consent
import HostCore
import RelayModel
import RelayProtocol

/// Devices vouch for others, end the trust in them remotely, and ask whom a host trusts; through the relay, and with the product's
/// machines.
final class VouchingWorld {
    private struct Vouched {
        let host: Int
        let newcomer: Int
        var machine: Vouching
    }

    private struct Asked {
        let host: Int
        let ask: Ask
        /// Index in the host's rolls at the time of asking.
        let since: Int
    }

    private unowned let consent: ConsentWorld
    private var dice: Dice
    /// Vouches and requests that are not answered: the latest of each device.
    private var vouched: [Int: Vouched] = [:]
    private var asked: [Int: Asked] = [:]
    /// The latest requests and answers of each device, which the relay has kept.
    private var earlier: [Int: [(ask: Ask, roll: [UInt8])]] = [:]
    private var distrusted: [[UInt8]: Distrust] = [:]
    /// Vouches by letter: the relay can deliver one long after it was signed and answered.
    private var signed: [[UInt8]: (newcomer: Int, vouch: Vouch)] = [:]
    /// The sets of devices that each host has had, in order.
    private var rolls: [Int: [Set<KeyID>]] = [:]

    private static let earlierMax = 16

    init(_ consent: ConsentWorld, seed: UInt64) {
        self.consent = consent
        dice = Dice(seed: seed &+ 0x70C4_ED5E)
    }

    private var world: World { consent.world }

    // MARK: Devices

    /// Faults with a probability per second, and actions of people.
    func everySecond(_ ready: [HostProcess]) {
        guard dice.chance(world.faults.vouching) else { return }
        let host = dice.pick(ready)
        let device = dice.below(consent.devices.count)
        switch dice.below(3) {
        case 0: vouch(by: device, for: dice.below(consent.devices.count), at: host)
        case 1: distrust(dice.below(consent.devices.count), by: device, at: host)
        default: ask(device, at: host)
        }
    }

    private func vouch(by voucher: Int, for newcomer: Int, at host: HostProcess) {
        guard voucher != newcomer, let identity = consent.hosts[host.index]?.identity else { return }
        let (device, other) = (consent.devices[voucher], consent.devices[newcomer])
        let secret = TrustSecret(
            .device(device.id, world.clients[voucher].identity.client.id), secret: SimulatedKeys.fixed(world.name("secret")))
        let attempt = JoinAttempt(
            secret, host: device.id, by: other.identity, name: other.name, nonce: SimulatedKeys.fixed(world.name("nonce")),
            .simulated)
        var machine = Vouching(secret, by: device.identity, .simulated)
        guard case .asked = machine.received(attempt.letter) else { preconditionFailure("a device knows its own secret") }
        consent.devices[voucher].count += 1
        let count = consent.devices[voucher].count
        let pin = HostPin(sign: identity.sign, box: identity.box, name: host.name, since: 0, .simulated)
        machine.accept(at: [pin], count: count)
        guard let letter = machine.unanswered.first?.letter else { preconditionFailure("a host was named") }
        let vouch = Vouch(
            host: identity.id, sign: other.identity.sign, box: other.identity.box, name: other.name, count: count,
            device: device.id)
        vouched[voucher] = Vouched(host: host.index, newcomer: newcomer, machine: machine)
        signed[letter] = (newcomer, vouch)
        world.trace.note(world.now, device.name, "vouches", "for \(other.name) at \(host.name)")
        write(letter, by: voucher, to: identity.id)
    }

    private func distrust(_ other: Int, by device: Int, at host: HostProcess) {
        guard let key = consent.key(of: host.index) else { return }
        consent.devices[device].count += 1
        let signer = consent.devices[device]
        let distrust = Distrust(
            host: key, distrusted: consent.devices[other].id, count: signer.count, device: signer.id)
        let letter = SignedLetter(.distrust(distrust), by: signer.identity, .simulated).bytes
        distrusted[letter] = distrust
        world.trace.note(world.now, signer.name, "distrusts", "\(consent.devices[other].name) at \(host.name)")
        write(letter, by: device, to: key)
    }

    private func ask(_ device: Int, at host: HostProcess) {
        guard let key = consent.key(of: host.index) else { return }
        let asking = consent.devices[device]
        let ask = Ask(host: key, nonce: SimulatedKeys.fixed(world.name("nonce")), device: asking.id)
        asked[device] = Asked(host: host.index, ask: ask, since: max(0, rolls[host.index, default: []].count - 1))
        write(SignedLetter(.ask(ask), by: asking.identity, .simulated).bytes, by: device, to: key)
    }

    private func write(_ bytes: [UInt8], by device: Int, to host: KeyID) {
        guard let letter = Letter(bytes) else { preconditionFailure("a letter has room for what a device says") }
        world.clients[device].write(letter, to: HostKeyID(host))
    }

    // MARK: Hosts

    /// A letter reaches the host. Returns true if it is a vouch that the host may not refuse.
    func came(_ bytes: [UInt8], to host: HostProcess) -> Bool {
        guard let pins = consent.pins(of: host.index), let key = consent.key(of: host.index) else { return false }
        if let distrust = distrusted[bytes], distrust.host == key {
            let isOwn = distrust.device == distrust.distrusted
            if pins.mayTrust(distrust.device, to: isOwn ? [] : [.vouch]), pins.mayBeNext(distrust.count, of: distrust.device) {
                consent.checker.thrownOut(distrust.distrusted, by: host.index)
            }
            return false
        }
        guard let (place, vouch) = signed[bytes], vouch.host == key else { return false }
        let newcomer = consent.devices[place].id
        guard pins.mayTrust(vouch.device, to: [.vouch]), pins.mayBeNext(vouch.count, of: vouch.device),
            !pins.book.wasDistrusted(newcomer)
        else { return false }
        consent.checker.letIn(newcomer, by: host.index)
        world.sealing?.invited(newcomer, by: vouch.device, at: host.index)
        guard !consent.checker.isThrownOut(newcomer, by: host.index) else { return false }
        return pins.trusts(vouch.device, to: [.vouch]) && pins.isNext(vouch.count, of: vouch.device)
    }

    func saved(_ book: PinBook, of host: Int) { rolls[host, default: []].append(Set(book.devices.map(\.id))) }

    // MARK: Answers

    /// The relay delivers a letter to a device.
    func received(_ letter: Letter, by device: Int) {
        let identity = consent.devices[device].identity
        if let asked = asked[device], (try? SignedLetter(parsing: letter.bytes))?.letter.isRoll == true {
            earlier[device, default: []].append((asked.ask, letter.bytes))
            if earlier[device, default: []].count > Self.earlierMax { earlier[device]?.removeFirst() }
        }
        let bytes = planted(forged(letter.bytes, for: device), for: device)
        if let asked = asked[device], let key = consent.key(of: asked.host),
            let roll = roll(bytes, for: device, asked.ask, of: key)
        {
            let told = Set(roll.entries.map(\.id))
            if !rolls[asked.host, default: []].dropFirst(asked.since).contains(told) {
                world.report(
                    .consent, "\(identity.id.shortCode) is told devices of host\(asked.host) that it never trusted together")
            }
            return
        }
        guard var vouched = vouched[device], let key = consent.key(of: vouched.host),
            let answer = try? vouched.machine.answered(bytes, by: key)
        else { return }
        self.vouched[device] = nil
        guard case .brought = answer else { return }
        let newcomer = consent.devices[vouched.newcomer].id
        if !rolls[vouched.host, default: []].contains(where: { $0.contains(newcomer) }) {
            world.report(.consent, "host\(vouched.host) says that it trusts \(newcomer.shortCode), and never did")
        }
    }

    private func roll(_ bytes: [UInt8], for device: Int, _ ask: Ask, of host: KeyID) -> Roll? {
        let asks =
            world.plant == .olderRoll ? earlier[device, default: []].map(\.ask).filter { $0.host == host } + [ask] : [ask]
        return asks.lazy.compactMap { try? LetterAnswer.roll(bytes, to: $0, by: host, .simulated) }.first
    }

    /// The letter, changed by a malicious relay, or replaced by an older one.
    private func forged(_ bytes: [UInt8], for device: Int) -> [UInt8] {
        if dice.chance(world.faults.replay), let older = earlier[device].map({ dice.pick($0) }) { return older.roll }
        guard dice.chance(world.faults.forgery) else { return bytes }
        var bytes = bytes
        bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
        return bytes
    }

    /// The letter, for a device that does not verify a roll's signature (planted).
    private func planted(_ bytes: [UInt8], for device: Int) -> [UInt8] {
        guard world.plant == .uncheckedRoll, let asked = asked[device], let host = consent.hosts[asked.host],
            case .roll(let roll)? = (try? SignedLetter(parsing: bytes))?.letter
        else { return bytes }
        return SignedLetter(.roll(roll), by: host.identity, .simulated).bytes
    }
}

extension LetterContent {
    fileprivate var isRoll: Bool { if case .roll = self { true } else { false } }
}
