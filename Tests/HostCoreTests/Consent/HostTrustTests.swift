import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

@Suite("A host that comes to trust devices")
struct HostTrustTests {
    private typealias Bench = ConsentBench

    /// The secret of an invitation.
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
