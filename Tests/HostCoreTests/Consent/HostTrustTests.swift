import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

@Suite("A host that comes to trust devices")
struct HostTrustTests {
    private typealias Bench = ConsentBench

    /// Makes an invitation and returns its secret.
    private func invite(_ bench: inout Bench, token: UInt64 = 1) throws -> TrustSecret {
        _ = bench.tell(.consentAsked(.invite(.random(), .all), HookToken(rawValue: token)))
        let answer = try JSONDocument(parsing: Array((bench.answers[token] ?? "").utf8)).root
        return try #require(TrustSecret(text: try answer.string("secret")))
    }

    private func wait(_ bench: inout Bench, token: UInt64) {
        _ = bench.tell(.consentAsked(.awaitDevice, HookToken(rawValue: token)))
    }

    private func error(_ bench: Bench, _ token: UInt64) throws -> String? {
        guard let answer = bench.answers[token] else { return nil }
        return try JSONDocument(parsing: Array(answer.utf8)).root.optionalString("error")
    }

    @Test("a device that knows the secret is trusted, on disk before it hears of it, and its caller has its name")
    func joins() throws {
        var bench = try Bench(trusts: false)
        let secret = try invite(&bench)
        wait(&bench, token: 2)
        #expect(bench.answers[2] == nil)
        let attempt = bench.join(secret, bench.device)
        bench.letter(attempt.letter)
        #expect(bench.pins.book.devices.map(\.name) == ["Ada's phone"])
        let reply = try #require(bench.letters.last)
        guard case .admitted(let pin) = try attempt.answer(reply.bytes, wall: 1) else {
            return #expect(Bool(false), "not admitted")
        }
        #expect(pin.id == bench.host.identity.id && pin.name == "laptop", "the host’s own name for itself")
        #expect(bench.answers[2]?.contains(bench.device.id.text) == true)
        bench.letter(attempt.letter)
        #expect(bench.letters.count == 2, "the answer may have been lost")
        let event = try bench.ask()
        #expect(bench.decide(.allow, event, signature: try bench.signature(.allow, event)) == ["decided one-s a1"])
    }

    @Test("the caller may come after the device")
    func callerIsLate() throws {
        var bench = try Bench(trusts: false)
        let secret = try invite(&bench)
        bench.letter(bench.join(secret, bench.device).letter)
        wait(&bench, token: 2)
        #expect(bench.answers[2]?.contains(bench.device.id.text) == true)
        wait(&bench, token: 3)
        #expect(try error(bench, 3) != nil)
    }

    @Test("a second device with the same secret is told so, and not trusted")
    func second() throws {
        var bench = try Bench(trusts: false)
        let secret = try invite(&bench)
        bench.letter(bench.join(secret, bench.device).letter)
        let attempt = bench.join(secret, Bench.Device(name: "Another"))
        bench.letter(attempt.letter)
        let reply = try #require(bench.letters.last)
        #expect(try attempt.answer(reply.bytes, wall: 1) == .refused(.usedSecret))
        #expect(bench.pins.book.devices.count == 1)
    }

    @Test(
        "a secret that was withdrawn, replaced, or is older than ten minutes brings nobody",
        arguments: ["gone", "replaced", "late", "lonely"])
    func over(_ how: String) throws {
        var bench = try Bench(trusts: false)
        let secret = try invite(&bench)
        if how != "lonely" { wait(&bench, token: 2) }
        switch how {
        case "gone": _ = bench.tell(.hookGone(HookToken(rawValue: 2)))
        case "replaced": _ = try invite(&bench, token: 3)
        case "lonely": bench.pass(.seconds(10))
        default: bench.pass(.seconds(601))
        }
        bench.letter(bench.join(secret, bench.device).letter)
        #expect(bench.pins.book.devices.isEmpty)
        #expect(try (error(bench, 2) != nil) == ["replaced", "late"].contains(how))
    }

    @Test("a device that the disk does not take is not trusted, and hears nothing")
    func fullDisk() throws {
        var bench = try Bench(trusts: false)
        let secret = try invite(&bench)
        bench.pins.isFailing = true
        let attempt = bench.join(secret, bench.device)
        bench.letter(attempt.letter)
        #expect(bench.letters.isEmpty && bench.pins.book.devices.isEmpty)
        bench.pins.isFailing = false
        bench.letter(attempt.letter)
        #expect(bench.letters.count == 1 && bench.pins.book.devices.count == 1)
    }

    // MARK: Passkeys

    private func passkeyAsk(_ bench: inout Bench, _ passkey: SigningPoint) -> PasskeyAsk {
        bench.device.count += 1
        return PasskeyAsk(
            host: bench.host.identity.id, passkey: passkey, origin: PasskeyOrigin("https://relay.example")!,
            count: bench.device.count, device: bench.device.id)
    }

    private func send(_ bench: inout Bench, _ ask: PasskeyAsk) {
        bench.letter(SignedLetter(.passkey(ask), by: bench.device.keys.identity, .openSSL).bytes)
    }

    private func answered(_ bench: Bench, _ ask: PasskeyAsk) throws -> LetterAnswer {
        try LetterAnswer(#require(bench.letters.last).bytes, to: ask, by: bench.host.identity.id, .openSSL)
    }

    private func take(_ bench: inout Bench, _ code: String, token: UInt64) {
        _ = bench.tell(.consentAsked(.takePasskey(code), HookToken(rawValue: token)))
    }

    @Test("a passkey is taken by a person at the terminal, on disk before its device hears of it")
    func passkey() throws {
        var bench = try Bench()
        let point = PrivateKeys().identity.sign
        let code = KeyID(of: point, .openSSL).shortCode
        let ask = passkeyAsk(&bench, point)
        send(&bench, ask)
        guard case .refused(.waiting, _) = try answered(bench, ask) else { return #expect(Bool(false), "it does not wait") }
        #expect(bench.pins.book.devices[0].askedPasskey?.sign == point && bench.pins.book.devices[0].passkeys.isEmpty)
        take(&bench, "ABCD-EFGH", token: 1)
        #expect(try error(bench, 1)?.hasPrefix("no passkey with this code waits") == true)
        bench.pins.isFailing = true
        take(&bench, code, token: 2)
        #expect(try error(bench, 2)?.hasPrefix("the passkey is not taken") == true && bench.letters.count == 1)
        bench.pins.isFailing = false
        take(&bench, code.lowercased(), token: 3)
        #expect(bench.answers[3] == #"{"name":"Ada's phone","origin":"https://relay.example"}"#)
        #expect(bench.pins.book.devices[0].passkeys.map(\.sign) == [point])
        #expect(try bench.letters.count == 2 && answered(bench, ask) == .done)
        take(&bench, code, token: 4)
        #expect(try error(bench, 4) != nil)
        send(&bench, passkeyAsk(&bench, PrivateKeys().identity.sign))
        #expect(bench.pins.book.devices[0].passkeys.count == 1)
    }

    @Test("a passkey that waits is still there after a restart, and one that the disk does not take is not asked for")
    func passkeyWaits() throws {
        var bench = try Bench()
        let point = PrivateKeys().identity.sign
        bench.pins.isFailing = true
        send(&bench, passkeyAsk(&bench, point))
        #expect(bench.letters.isEmpty && bench.pins.book.devices[0].askedPasskey == nil)
        bench.pins.isFailing = false
        send(&bench, passkeyAsk(&bench, point))
        try bench.restart()
        take(&bench, KeyID(of: point, .openSSL).shortCode, token: 1)
        #expect(bench.pins.book.devices[0].passkeys.map(\.sign) == [point] && bench.letters.count == 1)
    }

    // MARK: Settings

    @Test("an open host is signed from its first device on, and its offers say so")
    func becomesSigned() throws {
        var bench = try Bench(.open, trusts: false)
        bench.tell([.offer(Bench.session, SteeringOffer(actions: [.prompt])), .stands(Bench.session, .idle)])
        let before = try bench.ask()
        let secret = try invite(&bench)
        bench.letter(bench.join(secret, bench.device).letter)
        #expect(bench.pins.calls == ["sign", "save"])
        guard case .steeringOffered(let offer)? = bench.events.last?.head else { return #expect(Bool(false), "no offer") }
        #expect(offer.consent?.rawValue == bench.host.identity.id.text)
        #expect(bench.decide(.allow, before, signature: nil) == ["refused one-s a1: unsigned"])
        let event = try bench.ask("a2")
        #expect(bench.decide(.allow, event, signature: try bench.signature(.allow, event)) == ["decided one-s a2"])
    }

    @Test("the secret of a first start is answered by a signed host alone")
    func firstSecret() throws {
        for (setting, isTrusted) in [(ConsentSetting.signed, true), (.open, false)] {
            var bench = try Bench(setting, trusts: false)
            let secret = TrustSecret(.machine, secret: .random())
            _ = bench.tell(.secretFound(secret, until: bench.now.monotonic + 1_000))
            bench.letter(bench.join(secret, bench.device).letter)
            #expect(bench.pins.book.devices.isEmpty == !isTrusted)
        }
    }

    @Test("nothing that a device signs is taken once it is distrusted, however old the signature")
    func distrusted() throws {
        var bench = try Bench()
        let event = try bench.ask()
        let good = try bench.signature(.allow, event)
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.shortCode.lowercased()), HookToken(rawValue: 4)))
        #expect(bench.answers[4] == #"{"name":"Ada's phone"}"#)
        #expect(bench.pins.book.devices.isEmpty)
        #expect(bench.decide(.allow, event, signature: good) == ["refused one-s a1: notTrusted"])
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 5)))
        #expect(try error(bench, 5) != nil)
    }

    @Test("a device that cannot be distrusted on disk is said to be trusted still")
    func distrustOnFullDisk() throws {
        var bench = try Bench()
        bench.pins.isFailing = true
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 4)))
        #expect(try error(bench, 4)?.contains("still trusted") == true)
        let event = try bench.ask()
        #expect(bench.decide(.allow, event, signature: try bench.signature(.allow, event)) == ["decided one-s a1"])
    }

    @Test("each new device is told to those that asked before, and each that goes to those that stay")
    func told() throws {
        var bench = try Bench()
        func ask(_ device: Bench.Device) -> (Ask, [UInt8]) {
            let ask = Ask(host: bench.host.identity.id, nonce: .random(), device: device.id)
            return (ask, SignedLetter(.ask(ask), by: device.keys.identity, .openSSL).bytes)
        }
        func names(_ ask: Ask, _ letter: Letter) -> [String]? {
            try? LetterAnswer.roll(letter.bytes, to: ask, by: bench.host.identity.id, .openSSL).entries.map(\.name)
        }
        let (first, asked) = ask(bench.device)
        bench.letter(asked)
        #expect(bench.letters.map { names(first, $0) } == [["Ada's phone"]])
        let newcomer = Bench.Device(name: "Bob's phone")
        let secret = try invite(&bench)
        bench.letter(bench.join(secret, newcomer).letter, from: "c2")
        let answers = bench.letters.suffix(2).map { names(first, $0) }
        #expect(answers == [nil, ["Bob's phone", "Ada's phone"]], "after its own answer")
        let (second, askedToo) = ask(newcomer)
        bench.letter(askedToo, from: "c2")
        let before = bench.letters.count
        _ = bench.tell(.consentAsked(.distrust(newcomer.id.text), HookToken(rawValue: 4)))
        #expect(bench.letters.dropFirst(before).map { names(first, $0) } == [["Ada's phone"]], "who is gone is told nothing")
        #expect(bench.letters.dropFirst(before).allSatisfy { names(second, $0) == nil })
    }

    @Test("of one client's letters the last four are answered again")
    func tabs() throws {
        var bench = try Bench()
        let asks = (0..<6).map { _ in Ask(host: bench.host.identity.id, nonce: .random(), device: bench.device.id) }
        for ask in asks { bench.letter(SignedLetter(.ask(ask), by: bench.device.keys.identity, .openSSL).bytes) }
        let before = bench.letters.count
        let secret = try invite(&bench)
        bench.letter(bench.join(secret, Bench.Device(name: "Bob's phone")).letter, from: "c2")
        let told = bench.letters.dropFirst(before + 1)
        let answered = asks.filter { ask in
            told.contains { (try? LetterAnswer.roll($0.bytes, to: ask, by: bench.host.identity.id, .openSSL)) != nil }
        }
        #expect(answered == Array(asks.suffix(4)) && told.count == 4)
    }

    @Test("a host without keys answers nobody")
    func noKeys() throws {
        var bench = try HostBench()
        #expect(
            bench.tell(.consentAsked(.listDevices, HookToken(rawValue: 1))) == [
                #"respond 1 {"error":"this host has no keys: its log says why"}"#
            ])
    }
}
