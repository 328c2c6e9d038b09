import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

@Suite("A host that asks for signatures")
struct HostConsentTests {
    private typealias Bench = ConsentBench
    private static let decided = "decided one-s a1"

    // MARK: Approvals

    @Test("an approval leaves as one text with a salted digest; that of an open host leaves as it was")
    func shown() throws {
        var bench = try Bench()
        let event = try bench.ask()
        let text = try #require(ShownText.text(inEvent: event.bytes))
        let shown = try ShownText(parsing: text)
        #expect(shown.host == bench.host.identity.id && shown.session == Bench.session)
        let body = try #require(try JSONDocument(parsing: event.bytes).root.optional("body"))
        #expect(try body.members().map(\.key) == ["shown"])
        guard case .approvalRequested(let outer) = event.head else { return #expect(Bool(false), "no request") }
        #expect(outer == shown.request && outer.digest != Bench.digest)
        #expect(
            outer.digest
                == ShownText.saltedDigest(of: Bench.digest, tool: "Run", salt: shown.salt, .openSSL))
        let other = try ShownText(parsing: try #require(ShownText.text(inEvent: bench.ask("a2").bytes)))
        #expect(other.salt != shown.salt, "each has its own")

        var open = try Bench(.open)
        let plain = try open.ask()
        #expect(ShownText.text(inEvent: plain.bytes) == nil)
        guard case .approvalRequested(let request) = plain.head else { return #expect(Bool(false), "no request") }
        #expect(request.digest == Bench.digest && open.notes == ["a1"])
        #expect(open.decide(.allow, plain, signature: nil) == [Self.decided])
    }

    @Test(
        "what a trusted device signed for what was shown reaches the agent, with the digest that its desk knows and the pin's name",
        arguments: [
            Decision.Verdict.allow, .allowIn(mode: "acceptEdits"), .deny(message: "use touch"),
            .answer([Answer(question: "q0", choices: ["Blue"])]),
        ])
    func signed(_ verdict: Decision.Verdict) throws {
        var bench = try Bench()
        let event = try bench.ask()
        bench.diary.keepsDecisions = true
        #expect(bench.decide(verdict, event, signature: try bench.signature(verdict, event)) == [Self.decided])
        let heard = try #require(bench.diary.decisions.last)
        #expect(heard.digest == Bench.digest && heard.decision.verdict == verdict)
        #expect(heard.decision.clientName == "Ada's phone")
    }

    @Test("whatever is not signed for exactly that is refused, with the reason")
    func refused() throws {
        var bench = try Bench()
        let event = try bench.ask()
        let second = try bench.ask("a2")
        let stranger = Bench.Device(name: "A stranger")
        let good = try bench.signature(.allow, event)
        let mode = Decision.Verdict.allowIn(mode: "acceptEdits")
        for (verdict, signature, reason) in [
            (Decision.Verdict.allow, nil, "unsigned"), (.allow, "1.x", "badSignature"),
            (.allow, try bench.signature(.allow, event, by: stranger), "notTrusted"),
            (.allow, try bench.signature(.allow, second), "badSignature"),
            (.allow, try bench.signature(mode, event), "badSignature"),
            (mode, good, "badSignature"), (.allow, try bench.signature(.deny(message: nil), event), "badSignature"),
            (.answer([Answer(question: "q0", choices: ["Blue"])]), nil, "unsigned"),
        ] as [(Decision.Verdict, String?, String)] {
            #expect(bench.decide(verdict, event, signature: signature) == ["refused one-s a1: \(reason)"])
        }
        #expect(bench.decide(.allow, event, signature: good, as: Bench.digest) == ["refused one-s a1: notShown"])
        #expect(bench.decide(.allow, event, signature: good, on: "a2") == ["refused one-s a2: notShown"])
        #expect(bench.decide(.allow, event, signature: good) == [Self.decided], "none of these was in its way")
    }

    @Test("a denial counts without a signature, and loses what the relay could have put into it")
    func unsignedDenial() throws {
        var bench = try Bench()
        let event = try bench.ask()
        bench.diary.keepsDecisions = true
        #expect(bench.decide(.denyWith(offer: "s1", message: "run this instead"), event, signature: nil) == [Self.decided])
        let heard = try #require(bench.diary.decisions.last)
        #expect(heard.decision.verdict == .deny(message: nil) && heard.digest == Bench.digest)
        #expect(heard.decision.clientName == ConsentGate.unsignedName)
    }

    @Test("after the daemon was killed the same signature fits the same approval, and no other")
    func killed() throws {
        var bench = try Bench()
        let event = try bench.ask()
        let good = try bench.signature(.allow, event)
        try bench.restart()
        #expect(bench.decide(.allow, event, signature: nil) == ["refused one-s a1: unsigned"])
        #expect(bench.decide(.allow, event, signature: good) == [Self.decided])
        let again = try bench.ask()
        #expect(bench.decide(.allow, again, signature: good) == ["refused one-s a1: badSignature"], "the text has another salt")
    }

    @Test("what is kept of an approval goes with its end, in this life or before the next")
    func forgotten() throws {
        var bench = try Bench()
        _ = try bench.ask()
        #expect(bench.notes == ["a1", "consent.a1"])
        bench.tell([.remember("a1", nil)])
        #expect(bench.notes == [])
        let event = try bench.ask("a2")
        #expect(bench.decide(.allow, event, signature: try bench.signature(.allow, event)) == ["decided one-s a2"])
        _ = try bench.ask("a3")
        try bench.restart(.open)
        bench.tell([.remember("a3", nil)])
        #expect(bench.notes == ["a2", "consent.a2"], "also by a host that is open by now")
    }

    @Test("what was asked while the host was open is not allowed once it is signed, and can be denied")
    func askedBefore() throws {
        var bench = try Bench(.open)
        let event = try bench.ask()
        try bench.restart(.signed)
        #expect(bench.decide(.allow, event, signature: nil) == ["refused one-s a1: unsigned"])
        #expect(bench.decide(.deny(message: "no"), event, signature: nil) == [Self.decided])
    }

    // MARK: Steering

    private static let prompt = SteeringAction.prompt(.init(text: "go on"))

    private func steered(_ setting: ConsentSetting = .signed) throws -> Bench {
        var bench = try Bench(setting)
        bench.tell([
            .offer(
                Bench.session, SteeringOffer(actions: [.prompt, .interrupt, .mode, .askAll, .stop], modes: ["plan", "auto"])),
            .stands(Bench.session, .idle),
        ])
        return bench
    }

    @Test("a signed host's offers name its keys, an open one's do not")
    func offers() throws {
        for (setting, isNamed) in [(ConsentSetting.signed, true), (.open, false)] {
            let bench = try steered(setting)
            guard case .steeringOffered(let offer)? = bench.events.last?.head else { return #expect(Bool(false), "no offer") }
            #expect(offer.consent?.rawValue == (isNamed ? bench.host.identity.id.text : nil))
        }
    }

    @Test("a signed prompt is given once, and its count is on disk before the agent has it")
    func prompted() throws {
        var bench = try steered()
        let signature = bench.signature(Self.prompt, "k1")
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == ["steer k1"])
        #expect(bench.pins.calls == ["save"] && bench.pins.book.devices[0].count == 1)
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == [], "the same again is the same")
        try bench.restart()
        bench.tell([.offer(Bench.session, SteeringOffer(actions: [.prompt])), .stands(Bench.session, .idle)])
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == [])
        #expect(bench.steps.last == "k1 refused: \(ConsentRefusal.oldCount.sentence)")
    }

    @Test("an older file of devices, put back within one life of the host, suspends them until they say their counts")
    func olderFile() throws {
        var bench = try steered()
        let older = bench.pins.book
        let signature = bench.signature(Self.prompt, "k1")
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == ["steer k1"])
        bench.pins.restore(older)
        try bench.restart()
        bench.tell([.offer(Bench.session, SteeringOffer(actions: [.prompt])), .stands(Bench.session, .idle)])
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == [])
        #expect(bench.steps.last == "k1 refused: \(ConsentRefusal.restored.sentence)")
        let device = try #require(bench.pins.book.devices.first)
        #expect(device.isSuspended && device.count == 1)
        // The file as it was is no older one.
        try bench.restart()
        bench.letter(
            SignedLetter(
                .bump(
                    Bump(
                        host: bench.host.identity.id, generation: bench.pins.book.generation, count: bench.device.count,
                        device: bench.device.id)), by: bench.device.keys.identity, .openSSL
            ).bytes)
        #expect(bench.pins.book.devices.first?.isSuspended == false)
        try bench.restart()
        #expect(bench.pins.book.devices.first?.isSuspended == false)
    }

    @Test("an older file of devices does not bring a device back that was distrusted since")
    func olderTrust() throws {
        var bench = try steered()
        let older = bench.pins.book
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 4)))
        bench.pins.restore(older)
        try bench.restart()
        #expect(bench.pins.book.devices.isEmpty && bench.pins.book.wasDistrusted(bench.device.id))
        // A person at the terminal can, and then it is no older file.
        bench.pins.restore(older)
        bench.device = Bench.Device(name: "another")
        try bench.restart()
        #expect(bench.pins.book.devices.isEmpty)
    }

    @Test("a prompt whose count is not on disk is not given")
    func promptOnFullDisk() throws {
        var bench = try steered()
        bench.pins.isFailing = true
        let signature = bench.signature(Self.prompt, "k1")
        #expect(bench.steer(Self.prompt, "k1", signature: signature) == [])
        #expect(bench.steps == ["k1 refused: the disk of its host does not take anything"])
        bench.pins.isFailing = false
        let next = bench.signature(Self.prompt, "k2")
        #expect(bench.steer(Self.prompt, "k2", signature: next) == ["steer k2"])
    }

    @Test("what a device has queued is refused once it is distrusted, and what another has queued stays")
    func distrustedQueue() throws {
        var bench = try steered()
        let first = bench.signature(Self.prompt, "k1")
        #expect(bench.steer(Self.prompt, "k1", signature: first) == ["steer k1"])
        let second = bench.signature(Self.prompt, "k2")
        #expect(bench.steer(Self.prompt, "k2", signature: second) == [])
        let stop = SteeringAction.stop
        #expect(bench.steer(stop, "k3", signature: nil) == ["steer k3"])
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 4)))
        #expect(bench.steps.last == "k2 refused: \(ConsentRefusal.notTrusted.sentence)")
        let name = SteeringName(client: ClientID("c1")!, command: CommandID("k1")!)
        bench.tell([.steered(Bench.session, SteeringChange(name, .taken)), .stands(Bench.session, .idle)])
        #expect(!bench.diary.requests.contains { $0.command.rawValue == "k2" })
    }

    @Test("what could give the agent more freedom is refused without a signature, and what cannot is given")
    func steeredUnsigned() throws {
        for (action, isGiven) in [
            (Self.prompt, false), (.mode("auto"), false), (.askAll(false), false), (.askAll(true), true), (.stop, true),
        ] as [(SteeringAction, Bool)] {
            var bench = try steered()
            #expect(bench.steer(action, "k1", signature: nil) == (isGiven ? ["steer k1"] : []))
            if !isGiven { #expect(bench.steps == ["k1 refused: \(ConsentRefusal.unsigned.sentence)"]) }
        }
    }

    @Test("a signature for another text, mode, command or session is none")
    func steeredOtherwise() throws {
        var bench = try steered()
        for (index, other) in [
            SteeringAction.prompt(.init(text: "go on!")), .mode("auto"), .prompt(.init(text: "go on", whenBusy: .steer)),
        ]
        .enumerated() {
            let signature = bench.signature(other, "k\(index)")
            #expect(bench.steer(Self.prompt, "k\(index)", signature: signature) == [])
        }
        let signature = bench.signature(Self.prompt, "k8")
        #expect(bench.steer(Self.prompt, "k9", signature: signature) == [])
        #expect(bench.steps.allSatisfy { $0.hasSuffix(ConsentRefusal.badSignature.sentence) } && bench.steps.count == 4)
        #expect(bench.steer(Self.prompt, "k8", signature: signature) == ["steer k8"], "what was refused took no count")
    }
}
