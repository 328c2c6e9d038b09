import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct RollTests {
    private let world = TrustWorld()
    private let brought = ConsentIdentity.new()

    init() throws {
        try world.pins.trust(.of(world.device))
        try world.pins.trust(.of(brought, name: "tablet", by: .device(world.device.id)))
    }

    private func ask(by device: ConsentIdentity? = nil, of host: KeyID? = nil) -> Ask {
        Ask(host: host ?? world.host.id, nonce: .random(), device: (device ?? world.device).id)
    }

    @Test func `a trusted device is told of all, the last that came first, and by what they came`() throws {
        let (ask, before) = (ask(), world.pins)
        guard case .asked(by: world.device.id, let hash, let reply) = world.receive(.ask(ask), by: world.device) else {
            return #expect(Bool(false), "no answer")
        }
        let roll = try LetterAnswer.roll(reply, to: ask, by: world.host.id, crypto)
        #expect(roll.count == 2 && roll.entries.map(\.id) == [brought.id, world.device.id])
        #expect(roll.entries.map(\.name) == ["tablet", "Ada's phone"])
        #expect(roll.entries.map(\.by) == [.device(world.device.id), .terminal] && world.pins == before)
        world.pins.distrust(brought.id)
        let later = try LetterAnswer.roll(world.desk.roll(for: hash, world.pins), to: ask, by: world.host.id, crypto)
        #expect(later.entries.map(\.id) == [world.device.id], "another answer to the same letter")
    }

    @Test func `nobody else is told anything`() throws {
        let stranger = ConsentIdentity.new()
        #expect(world.reason(world.receive(.ask(ask(by: stranger)), by: stranger)) == .notTrusted)
        #expect(world.reason(world.receive(.ask(ask()), by: stranger)) == .badSignature)
        #expect(world.reason(world.receive(.ask(ask(of: .random())), by: world.device)) == .notForThis)
        world.pins.distrust(brought.id)
        #expect(world.reason(world.receive(.ask(ask(by: brought)), by: brought)) == .notTrusted)
    }

    @Test func `a roll of another host, for another letter, or altered in any byte is none`() throws {
        let (ask, relay) = (ask(), ConsentIdentity.new())
        let hash = crypto.hash(ask.body)
        let good = world.desk.roll(for: hash, world.pins)
        var bad = good.indices.map { good.changed(at: $0) } + [good + [0], Array(good.dropLast())]
        bad.append(TrustDesk(relay, crypto).roll(for: hash, world.pins))
        bad.append(SignedLetter(.roll(Roll(of: world.pins, sign: world.host.sign, letter: hash)), by: relay, crypto).bytes)
        bad.append(world.desk.roll(for: .random(), world.pins))
        for bytes in bad {
            #expect(throws: ConsentError.self) { try LetterAnswer.roll(bytes, to: ask, by: world.host.id, crypto) }
        }
        #expect(try LetterAnswer.roll(good, to: ask, by: world.host.id, crypto).count == 2)
    }

    @Test func `of more devices than a letter takes the last are named, and all are counted`() throws {
        for _ in 2..<PinBook.devicesMax {
            try world.pins.trust(.of(.new(), name: String(repeating: "x", count: WireLimits.nameBytesMax)))
        }
        let ask = ask()
        let bytes = world.desk.roll(for: crypto.hash(ask.body), world.pins)
        #expect(bytes.count <= SignedLetter.bytesMax)
        let roll = try LetterAnswer.roll(bytes, to: ask, by: world.host.id, crypto)
        #expect(roll.count == 64 && roll.entries.count > 10)
        #expect(roll.entries.map(\.id) == world.pins.devices.reversed().prefix(roll.entries.count).map(\.id))
    }

    @Test func `a stranger's letters silence no device's`() throws {
        let stranger = SignedLetter(.ask(ask()), by: .new(), crypto).bytes
        for _ in 0...TrustLimits().refusalsPerMinuteMax { world.receive(stranger) }
        #expect(world.receive(stranger).reply == nil)
        guard case .asked = world.receive(.ask(ask()), by: world.device) else { return #expect(Bool(false), "no roll") }
        let bump = Bump(host: world.host.id, generation: .random(), count: 0, device: world.device.id)
        #expect(world.receive(.bump(bump), by: world.device).reply != nil)
    }

    @Test func `whoever repeats a device's letter has the host sign only so often`() throws {
        let letter = SignedLetter(.ask(ask()), by: world.device, crypto).bytes
        for _ in 0..<TrustLimits().answersPerDeviceMax {
            guard case .asked = world.receive(letter) else { return #expect(Bool(false), "no answer") }
        }
        guard case .ignored(let error) = world.receive(letter), error.code == .full else {
            return #expect(Bool(false), "answered without end")
        }
        world.now += 60_000
        guard case .asked = world.receive(letter) else { return #expect(Bool(false), "never again") }
    }
}
