import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// A host and devices; the clock is `now`.
final class TrustWorld {
    let host = ConsentIdentity.new()
    let device = ConsentIdentity.new()
    var pins = PinBook.empty()
    var desk: TrustDesk
    var now: Int64 = 1_000

    init(_ limits: TrustLimits = TrustLimits()) {
        desk = TrustDesk(host, limits: limits, crypto)
        desk.name = "studio"
    }

    func show(_ scope: TrustSecret.Scope? = nil, minutes: Int64 = 10) throws -> TrustSecret {
        let secret = TrustSecret(scope ?? .host(host.id), secret: .random())
        try desk.show(secret, until: now + minutes * 60_000)
        return secret
    }

    func join(_ secret: TrustSecret, by device: ConsentIdentity? = nil, host: KeyID? = nil) -> JoinAttempt {
        JoinAttempt(
            secret, host: host ?? self.host.id, by: device ?? self.device, name: "Ada's phone", nonce: .random(), crypto)
    }

    @discardableResult
    func receive(_ bytes: [UInt8]) -> TrustDesk.Outcome {
        desk.received(bytes, at: now, wall: 77, nonce: .random(), pins: &pins)
    }

    @discardableResult
    func receive(_ letter: LetterContent, by device: ConsentIdentity) -> TrustDesk.Outcome {
        receive(SignedLetter(letter, by: device, crypto).bytes)
    }

    func reason(_ outcome: TrustDesk.Outcome) -> Refusal.Reason? {
        if case .refused(let reason, _) = outcome { reason } else { nil }
    }
}

@Suite struct TrustDeskTests {
    @Test(arguments: [true, false])
    func `a device that saw the secret is pinned, and pins the host`(isForMachine: Bool) throws {
        let world = TrustWorld()
        let secret = try world.show(isForMachine ? .machine : nil)
        let attempt = world.join(try #require(TrustSecret(text: secret.text)))
        guard case .joined(let pin, by: secret, let reply) = world.receive(attempt.letter) else {
            return #expect(Bool(false), "no pin")
        }
        #expect(world.pins.devices == [pin] && pin.id == world.device.id && pin.box == world.device.box)
        #expect(pin.by == .terminal && pin.may == Set(PinRight.allCases) && pin.name == "Ada's phone" && pin.since == 77)
        guard case .admitted(let host) = try attempt.answer(reply, wall: 78) else {
            return #expect(Bool(false), "no host")
        }
        #expect(host.id == world.host.id && host.sign == world.host.sign && host.box == world.host.box && host.name == "studio")
    }

    @Test func `the same join again has an answer again, and another with the secret is refused`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        let attempt = world.join(secret)
        world.receive(attempt.letter)
        let before = world.pins
        guard case .again(let reply) = world.receive(attempt.letter),
            case .admitted = try attempt.answer(reply, wall: 1)
        else { return #expect(Bool(false), "no second answer") }
        let second = world.join(secret, by: .new())
        let outcome = world.receive(second.letter)
        #expect(world.reason(outcome) == .usedSecret && world.pins == before)
        let answer = try second.answer(try #require(outcome.reply), wall: 1)
        #expect(answer == .refused(.usedSecret))
    }

    @Test func `a device that was cut off before it had the answer gets it when it asks anew`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        world.receive(world.join(secret).letter)
        let before = world.pins
        let again = world.join(secret)
        guard case .again(let reply) = world.receive(again.letter), case .admitted = try again.answer(reply, wall: 1) else {
            return #expect(Bool(false), "it is not answered")
        }
        #expect(world.pins == before)
        world.pins.distrust(world.device.id)
        #expect(world.reason(world.receive(world.join(secret).letter)) == .usedSecret)
    }

    @Test func `a secret that brought its device brings no other after a crash`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        let attempt = world.join(secret)
        world.receive(attempt.letter)
        // The pins are on disk, and the process shows the same secret in its next life.
        world.pins = try PinBook(parsing: world.pins.bytes, crypto)
        world.desk = TrustDesk(world.host, crypto)
        try world.desk.show(secret, until: world.now + 60_000)
        #expect(world.reason(world.receive(world.join(secret, by: .new()).letter)) == .usedSecret)
        guard case .again = world.receive(attempt.letter) else { return #expect(Bool(false), "the device is not answered") }
        // The secret does not admit the same device again, either, once it was distrusted.
        world.pins.distrust(world.device.id)
        #expect(world.reason(world.receive(attempt.letter)) == .usedSecret)
    }

    @Test func `a secret's time is over when it is over`() throws {
        let world = TrustWorld()
        let secret = try world.show(minutes: 10)
        #expect(world.desk.nextDeadline == world.now + 600_000)
        world.now += 600_000
        #expect(world.reason(world.receive(world.join(secret).letter)) == .unknownSecret && world.pins.devices.isEmpty)
        let expired = world.desk.expire(at: world.now)
        #expect(expired == [secret] && world.desk.nextDeadline == nil)
    }

    @Test func `a secret that was used or withdrawn is soon forgotten`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        world.receive(world.join(secret).letter)
        #expect(world.desk.nextDeadline == world.now + 60_000)
        let other = try world.show()
        world.desk.withdraw(other)
        #expect(world.reason(world.receive(world.join(other).letter)) == .unknownSecret)
    }

    @Test func `only so many secrets are shown at a time`() throws {
        let world = TrustWorld()
        for _ in 0..<TrustLimits().secretsMax { _ = try world.show() }
        let error = #expect(throws: ConsentError.self) { try world.show() }
        #expect(error?.code == .full)
    }

    @Test func `whoever has not seen the secret is not pinned`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        let guess = TrustSecret(.host(world.host.id), secret: .random())
        #expect(world.reason(world.receive(world.join(guess).letter)) == .unknownSecret)
        // A letter for another host that has the same secret.
        let other = TrustSecret(.machine, secret: secret.secret)
        #expect(world.reason(world.receive(world.join(other, host: .random()).letter)) == .notForThis)
        let letter = world.join(secret).letter
        for index in letter.indices { world.receive(letter.changed(at: index)) }
        #expect(world.pins.devices.isEmpty)
    }

    @Test func `a relay that swaps keys is noticed by both sides`() throws {
        let world = TrustWorld()
        let secret = try world.show()
        let attempt = world.join(secret)
        let (relay, join) = (ConsentIdentity.new(), try SignedLetter(parsing: attempt.letter))
        // Towards the host: its own keys, with whatever tag it can make.
        let swapped = Join(host: world.host.id, sign: relay.sign, box: relay.box, name: "Ada's phone", nonce: .random())
        for key in [[], [UInt8](repeating: 0, count: 32), join.tag] {
            #expect(
                world.reason(world.receive(SignedLetter(.join(swapped), by: relay, pairKey: key, crypto).bytes))
                    == .unknownSecret)
        }
        // The right secret, signed by another key than the one named.
        let pairKey = secret.pairKey(with: world.host.id, crypto)
        let named = Join(host: world.host.id, sign: world.device.sign, box: world.device.box, name: "x", nonce: .random())
        #expect(
            world.reason(world.receive(SignedLetter(.join(named), by: relay, pairKey: pairKey, crypto).bytes)) == .badSignature)
        let off = Join(
            host: world.host.id, sign: world.device.sign, box: try #require(BoxPoint(world.device.box.bytes.changed(at: 60))),
            name: "x",
            nonce: .random())
        #expect(
            world.reason(world.receive(SignedLetter(.join(off), by: world.device, pairKey: pairKey, crypto).bytes))
                == .badSignature)
        #expect(world.pins.devices.isEmpty)
        // From the host to the device.
        let hash = crypto.hash(join.body)
        func admit(_ join: ConsentHash, _ keys: ConsentIdentity, box: BoxPoint? = nil, by: ConsentIdentity, key: [UInt8])
            -> [UInt8]
        {
            let admit = Admit(join: join, sign: keys.sign, box: box ?? keys.box, nonce: .random(), name: "studio")
            return SignedLetter(.admit(admit), by: by, pairKey: key, crypto).bytes
        }
        let bad = [
            admit(hash, relay, by: relay, key: pairKey), admit(.random(), world.host, by: world.host, key: pairKey),
            admit(hash, world.host, by: world.host, key: []), admit(hash, world.host, box: relay.box, by: relay, key: pairKey),
            admit(hash, world.host, by: relay, key: pairKey), attempt.letter, [], [1, 2, 3],
        ]
        for (index, bytes) in bad.enumerated() {
            #expect(throws: ConsentError.self, "admit \(index)") { try attempt.answer(bytes, wall: 1) }
        }
        guard case .admitted = try attempt.answer(admit(hash, world.host, by: world.host, key: pairKey), wall: 1)
        else { return #expect(Bool(false), "a good answer is refused") }
    }

    @Test func `a forged refusal is as if it had not come`() throws {
        let world = TrustWorld()
        let attempt = world.join(try world.show())
        let hash = crypto.hash(try SignedLetter(parsing: attempt.letter).body)
        let relay = ConsentIdentity.new()
        func refusal(_ sign: SigningPoint, _ hash: ConsentHash, by identity: ConsentIdentity) -> [UInt8] {
            let refusal = Refusal(sign: sign, letter: hash, reason: .full, generation: .random())
            return SignedLetter(.refusal(refusal), by: identity, crypto).bytes
        }
        for bytes in [
            refusal(relay.sign, hash, by: relay), refusal(world.host.sign, hash, by: relay),
            refusal(world.host.sign, .random(), by: world.host),
        ] {
            #expect(throws: ConsentError.self) { try attempt.answer(bytes, wall: 1) }
        }
        #expect(try attempt.answer(refusal(world.host.sign, hash, by: world.host), wall: 1) == .refused(.full))
    }

    @Test func `letters that nothing can be said to are ignored, and refusals end when there are too many`() throws {
        var limits = TrustLimits()
        limits.refusalsPerMinuteMax = 3
        let world = TrustWorld(limits)
        for bytes in [[], [1], [UInt8](repeating: 7, count: 5_000)] {
            guard case .ignored = world.receive(bytes) else { return #expect(Bool(false), "answered") }
        }
        guard case .ignored = world.receive(.receipt(Receipt(sign: world.host.sign, letter: .random())), by: world.host) else {
            return #expect(Bool(false), "a host answers a host")
        }
        let letter = world.join(TrustSecret(.machine, secret: .random())).letter
        let replies = (0..<5).map { _ in world.receive(letter).reply != nil }
        #expect(replies == [true, true, true, false, false])
        world.now += 60_000
        #expect(world.receive(letter).reply != nil)
    }
}
