import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// A trusted device shows a link, and another one opens it. The test passes on their letters to each other and to the host.
@Suite struct VouchingTests {
    private let world = TrustWorld()
    private let newcomer = ConsentIdentity.new()
    private let secret: TrustSecret
    private var vouching: Vouching

    init() throws {
        try world.pins.trust(.of(world.device))
        secret = TrustSecret(.device(world.device.id, .named("tablet-1")), secret: .random())
        vouching = Vouching(secret, by: world.device, crypto)
    }

    private var pin: HostPin { HostPin(sign: world.host.sign, box: world.host.box, name: "studio", since: 1, crypto) }

    private func join(by device: ConsentIdentity? = nil, _ secret: TrustSecret? = nil) -> JoinAttempt {
        JoinAttempt(
            secret ?? self.secret, host: world.device.id, by: device ?? newcomer, name: "tablet", nonce: .random(), crypto)
    }

    private mutating func ask(_ attempt: JoinAttempt) -> Vouching.Newcomer? {
        if case .asked(let newcomer) = vouching.received(attempt.letter) { newcomer } else { nil }
    }

    /// The host has answered every vouch.
    private mutating func vouch() throws -> [Vouching.HostOutcome] {
        var answers: [Vouching.HostOutcome] = []
        for (host, letter) in vouching.unanswered {
            let reply = try #require(world.receive(letter).reply)
            answers.append(try vouching.answered(reply, by: host.id))
        }
        return answers
    }

    @Test mutating func `the codes are compared, the host pins the newcomer, and the newcomer pins the host`() throws {
        #expect(TrustSecret(text: secret.text) == secret)
        let attempt = join()
        let asked = try #require(ask(attempt))
        #expect(asked.id == newcomer.id && asked.name == "tablet")
        #expect(vouching.unanswered.isEmpty && vouching.introductions.isEmpty, "nothing is signed before a person says so")
        guard case .again([]) = vouching.received(attempt.letter) else { return #expect(Bool(false), "it has to wait") }
        vouching.accept(at: [pin], count: 1)
        #expect(try vouch() == [.brought(pin)])
        let pinned = try #require(world.pins[newcomer.id])
        #expect(pinned.by == .device(world.device.id) && !pinned.may.contains(.vouch) && pinned.name == "tablet")
        let introduction = try #require(vouching.introductions.first)
        guard case .introduced(let known, of: 1) = try attempt.answer(introduction, wall: 1) else {
            return #expect(Bool(false), "no introduction")
        }
        #expect(known == pin && known.since == 1)
        guard case .again(let replies) = vouching.received(attempt.letter) else {
            return #expect(Bool(false), "it is told again")
        }
        #expect(try replies.map { try attempt.answer($0, wall: pin.since) } == [.introduced(pin, of: 1)])
    }

    @Test mutating func `a device that was started again gets its introduction for its new letter`() throws {
        _ = ask(join())
        vouching.accept(at: [pin], count: 1)
        _ = try vouch()
        let later = join()
        guard case .again(let replies) = vouching.received(later.letter) else { return #expect(Bool(false), "unknown") }
        guard case .introduced(pin, of: 1)? = try replies.first.map({ try later.answer($0, wall: 1) }) else {
            return #expect(Bool(false), "no introduction")
        }
    }

    @Test mutating func `a second device with the link is refused, also with the first one's signing key`() throws {
        _ = ask(join())
        let second = join(by: .new())
        guard case .refused(let reply) = vouching.received(second.letter) else { return #expect(Bool(false), "taken") }
        #expect(try second.answer(reply, wall: 1) == .refused(.usedSecret))
        let (own, other) = (newcomer, ConsentIdentity.new())
        let mixed = ConsentIdentity(
            sign: own.sign, box: other.box, crypto, signature: own.signature, agreement: other.agreement)
        guard case .refused = vouching.received(join(by: mixed).letter) else { return #expect(Bool(false), "taken") }
        vouching.accept(at: [pin], count: 1)
        _ = try vouch()
        #expect(world.pins.devices.map(\.id) == [world.device.id, newcomer.id])
    }

    @Test mutating func `whoever has not seen the link asks nothing`() throws {
        let guess = TrustSecret(.device(world.device.id, .named("tablet-1")), secret: .random())
        let attempt = join()
        for letter in [join(guess).letter, join(by: world.device).letter, Array(attempt.letter.dropLast())]
            + stride(from: 5, to: attempt.letter.count, by: 7).map({ attempt.letter.changed(at: $0) })
        {
            guard case .ignored = vouching.received(letter) else { return #expect(Bool(false), "taken") }
        }
        // A host's link is no device's, whatever its secret.
        let ofHost = JoinAttempt(
            TrustSecret(.host(world.host.id), secret: secret.secret), host: world.host.id, by: newcomer, name: "x",
            nonce: .random(), crypto)
        guard case .ignored = vouching.received(ofHost.letter) else { return #expect(Bool(false), "taken") }
        #expect(ask(attempt) != nil)
    }

    @Test mutating func `a person who says no ends it, and the newcomer is told so each time`() throws {
        let attempt = join()
        _ = ask(attempt)
        #expect(try attempt.answer(vouching.decline(), wall: 1) == .refused(.notTrusted))
        guard case .again(let replies) = vouching.received(attempt.letter) else { return #expect(Bool(false), "unknown") }
        #expect(try replies.map { try attempt.answer($0, wall: 1) } == [.refused(.notTrusted)])
        #expect(vouching.unanswered.isEmpty)
    }

    @Test mutating func `a host that lets this device bring nobody is left out, and the newcomer is told of the others`() throws
    {
        let attempt = join()
        _ = ask(attempt)
        let other = ConsentIdentity.new()
        let elsewhere = HostPin(sign: other.sign, box: other.box, name: "desk", since: 1, crypto)
        vouching.accept(at: [pin, elsewhere], count: 1)
        guard let (_, letter) = vouching.unanswered.first(where: { $0.host == pin }) else { preconditionFailure("it is open") }
        let receipt = try #require(world.receive(letter).reply)
        #expect(throws: ConsentError.self, "a receipt of another host") { try vouching.answered(receipt, by: other.id) }
        _ = try vouching.answered(receipt, by: pin.id)
        #expect(try vouching.introductions.map { try attempt.answer($0, wall: pin.since) } == [.introduced(pin, of: 2)])
        let vouch = try #require(vouching.unanswered.first).letter
        var desk = TrustDesk(other, crypto)
        var pins = PinBook.trusting(world.device, may: [.allow, .answer, .prompt])
        let refusal = try #require(desk.received(vouch, at: 1, wall: 1, nonce: .random(), pins: &pins).reply)
        #expect(try vouching.answered(refusal, by: other.id) == .refused(elsewhere, .notTrusted))
        #expect(try vouching.introductions.map { try attempt.answer($0, wall: pin.since) } == [.introduced(pin, of: 1)])
        #expect(pins.devices.count == 1)
    }

    @Test mutating func `an introduction that was altered, forged, or made for another join introduces nobody`() throws {
        let attempt = join()
        _ = ask(attempt)
        vouching.accept(at: [pin], count: 1)
        _ = try vouch()
        let letter = try #require(vouching.introductions.first)
        for index in letter.indices {
            #expect(throws: ConsentError.self, "byte \(index)") { try attempt.answer(letter.changed(at: index), wall: 1) }
        }
        #expect(throws: ConsentError.self) { try join().answer(letter, wall: 1) }
        let thief = ConsentIdentity.new()
        let body = Introduction(join: .random(), sign: thief.sign, host: pin, hosts: 1)
        let forged = SignedLetter(
            .introduction(body), by: thief, pairKey: secret.pairKey(with: world.device.id, crypto), crypto)
        #expect(throws: ConsentError.self) { try attempt.answer(forged.bytes, wall: 1) }
        // A host's answer to its own link is no introduction, and the reverse.
        let ofHost = try world.show()
        let toHost = world.join(ofHost, by: newcomer)
        let admit = try #require(world.receive(toHost.letter).reply)
        #expect(throws: ConsentError.self) { try attempt.answer(admit, wall: 1) }
        #expect(throws: ConsentError.self) { try toHost.answer(letter, wall: 1) }
        guard case .ignored = world.receive(letter) else { return #expect(Bool(false), "a host answers it") }
    }
}
