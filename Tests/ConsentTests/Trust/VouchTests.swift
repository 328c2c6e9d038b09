import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct VouchTests {
    private let world = TrustWorld()
    private let newcomer = ConsentIdentity.new()

    init() throws { try world.pins.trust(.of(world.device)) }

    private func vouch(count: Int64 = 1, for device: ConsentIdentity? = nil, by voucher: ConsentIdentity? = nil) -> Vouch {
        let device = device ?? newcomer
        return Vouch(
            host: world.host.id, sign: device.sign, box: device.box, name: "tablet", count: count,
            device: (voucher ?? world.device).id)
    }

    private func distrust(_ id: KeyID, count: Int64, by device: ConsentIdentity? = nil) -> Distrust {
        Distrust(host: world.host.id, distrusted: id, count: count, device: (device ?? world.device).id)
    }

    @Test func `a device that may vouch brings another one, which may not`() throws {
        guard case .vouched(let pin, by: world.device.id, let reply) = world.receive(.vouch(vouch()), by: world.device) else {
            return #expect(Bool(false), "refused")
        }
        #expect(pin.id == newcomer.id && pin.by == .device(world.device.id) && pin.may == [.allow, .answer, .prompt])
        #expect(world.pins[newcomer.id] == pin && world.pins[world.device.id]?.count == 1)
        #expect(try LetterAnswer(reply, to: vouch(), by: world.host.id, crypto) == .done)
        #expect(throws: ConsentError.self) { try LetterAnswer(reply, to: vouch(count: 2), by: world.host.id, crypto) }
        let second = world.receive(.vouch(vouch(count: 2, for: .new(), by: newcomer)), by: newcomer)
        #expect(world.reason(second) == .notTrusted)
    }

    @Test func `a device brings another one to no more than it may itself`() throws {
        world.pins = .trusting(world.device, may: [.answer, .vouch])
        guard case .vouched(let pin, _, _) = world.receive(.vouch(vouch()), by: world.device) else {
            return #expect(Bool(false), "refused")
        }
        #expect(pin.may == [.answer])
    }

    @Test func `the same vouch again is answered again, and an old one brings nobody back`() throws {
        let letter = SignedLetter(.vouch(vouch()), by: world.device, crypto).bytes
        world.receive(letter)
        let before = world.pins
        guard case .again = world.receive(letter) else { return #expect(Bool(false), "no second answer") }
        #expect(world.pins == before)
        world.pins.distrust(newcomer.id)
        #expect(world.reason(world.receive(letter)) == .distrusted)
        // The same for a device of which the host remembers only the count.
        let stranger = ConsentIdentity.new()
        #expect(world.reason(world.receive(.vouch(vouch(count: 1, for: stranger)), by: world.device)) == .oldCount)
        #expect(world.pins[stranger.id] == nil)
    }

    @Test func `a vouch that is forged, or for another host, brings nobody`() throws {
        let before = world.pins
        #expect(world.reason(world.receive(.vouch(vouch()), by: .new())) == .badSignature)
        let stranger = ConsentIdentity.new()
        #expect(world.reason(world.receive(.vouch(vouch(by: stranger)), by: stranger)) == .notTrusted)
        var elsewhere = vouch()
        elsewhere.host = .random()
        #expect(world.reason(world.receive(.vouch(elsewhere), by: world.device)) == .notForThis)
        var off = vouch()
        off.sign = try #require(SigningPoint(off.sign.bytes.changed(at: 40)))
        #expect(world.reason(world.receive(.vouch(off), by: world.device)) == .badSignature)
        off = vouch()
        off.box = try #require(BoxPoint(off.box.bytes.changed(at: 40)))
        #expect(world.reason(world.receive(.vouch(off), by: world.device)) == .badSignature)
        #expect(world.pins == before)
    }

    @Test func `a device ends the trust in another one, and in itself`() throws {
        world.receive(.vouch(vouch()), by: world.device)
        #expect(
            world.reason(world.receive(.distrust(distrust(world.device.id, count: 9, by: newcomer)), by: newcomer))
                == .notTrusted)
        let letter = SignedLetter(.distrust(distrust(newcomer.id, count: 2)), by: world.device, crypto).bytes
        guard case .distrusted(let pin, by: world.device.id, _) = world.receive(letter) else {
            return #expect(Bool(false), "refused")
        }
        #expect(pin.id == newcomer.id && world.pins[newcomer.id] == nil)
        guard case .again = world.receive(letter) else { return #expect(Bool(false), "no second answer") }
        #expect(world.reason(world.receive(.distrust(distrust(.random(), count: 3)), by: world.device)) == .notForThis)
        guard case .distrusted = world.receive(.distrust(distrust(world.device.id, count: 3)), by: world.device) else {
            return #expect(Bool(false), "refused")
        }
        #expect(world.pins.devices.isEmpty)
        #expect(world.reason(world.receive(letter)) == .notTrusted)
    }

    @Test func `a full host refuses, and takes no count for it`() throws {
        while world.pins.devices.count < PinBook.devicesMax { try world.pins.trust(.of(.new())) }
        #expect(world.reason(world.receive(.vouch(vouch()), by: world.device)) == .full)
        #expect(world.pins[world.device.id]?.count == 0)
        #expect(world.reason(world.receive(world.join(try world.show(), by: .new()).letter)) == .full)
    }

    // MARK: Restored files

    @Test func `a device says its count to a restored host, once for each restore`() throws {
        func restore() {
            _ = world.pins.begin(keyFile: .random(), fresh: .random())
            world.pins.began()
        }
        restore()
        let outcome = world.receive(.vouch(vouch(count: 41)), by: world.device)
        #expect(world.reason(outcome) == .restored)
        let answer = try LetterAnswer(try #require(outcome.reply), to: vouch(count: 41), by: world.host.id, crypto)
        guard case .refused(.restored, let generation) = answer else { return #expect(Bool(false), "\(answer)") }
        let bump = Bump(host: world.host.id, generation: generation, count: 40, device: world.device.id)
        #expect(world.reason(world.receive(.bump(bump), by: .new())) == .badSignature)
        guard case .resumed(let pin, _) = world.receive(.bump(bump), by: world.device) else {
            return #expect(Bool(false), "refused")
        }
        #expect(pin.count == 40 && pin.may(.prompt) && world.pins[world.device.id] == pin)
        guard case .again = world.receive(.bump(bump), by: world.device) else {
            return #expect(Bool(false), "no second answer")
        }
        #expect(world.reason(world.receive(.vouch(vouch(count: 40)), by: world.device)) == .oldCount)
        // Its count is known now, even if it is paired again.
        world.receive(world.join(try world.show()).letter)
        #expect(world.pins[world.device.id]?.count == 40 && world.pins[world.device.id]?.may(.prompt) == true)
        // An old one, after another restore, resumes nothing.
        restore()
        #expect(world.reason(world.receive(.bump(bump), by: world.device)) == .restored)
        #expect(world.pins[world.device.id]?.isSuspended == true)
    }

    @Test func `a count below the host's own resumes nothing`() throws {
        var pin = Pin.of(world.device)
        pin.count = 50
        try world.pins.trust(pin)
        _ = world.pins.begin(keyFile: .random(), fresh: .random())
        let bump = Bump(host: world.host.id, generation: world.pins.generation, count: 49, device: world.device.id)
        #expect(world.reason(world.receive(.bump(bump), by: world.device)) == .oldCount)
    }

    @Test func `a device has few others distrusted in a day, and is told that there were too many`() throws {
        let brought = (0..<10).map { _ in ConsentIdentity.new() }
        for device in brought { try world.pins.trust(.of(device)) }
        for (index, device) in brought.prefix(8).enumerated() {
            guard case .distrusted = world.receive(.distrust(distrust(device.id, count: Int64(10 + index))), by: world.device)
            else { return #expect(Bool(false), "still trusted") }
        }
        let next = { (count: Int64) in LetterContent.distrust(distrust(brought[8].id, count: count)) }
        #expect(world.reason(world.receive(next(30), by: world.device)) == .tooMany && world.pins[brought[8].id] != nil)
        world.now += 86_400_000
        guard case .distrusted = world.receive(next(31), by: world.device) else { return #expect(Bool(false), "never again") }
    }
}
