import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct DecisionGateTests {
    @Test func `what a trusted device signed for what was shown is taken, under its own name`() throws {
        let world = GateWorld()
        let shown = try world.show()
        for verdict: Decision.Verdict in [
            .allow, .allowIn(mode: "x"), .allowWith(offer: "o", mode: "x"),
            .allowEdited(#"{"command":"ls"}"#), .deny(message: "no"),
            .denyWith(offer: "o", message: nil),
            .answer([Answer(question: "q", choices: ["a"])]),
        ] {
            var taken = world.decision(verdict, shown)
            let outcome = world.take(taken, shown)
            taken.clientName = "Ada's phone"
            #expect(outcome == .take(world.inner, taken, by: world.device.id))
        }
    }

    @Test func `nothing else is taken, and each refusal says why`() throws {
        let world = GateWorld()
        let shown = try world.show()
        let allow = world.decision(.allow, shown)
        func outcome(_ decision: Decision) -> ConsentGate.DecisionOutcome { world.take(decision, shown) }
        #expect(outcome(world.unsigned(.allow)) == .refuse(.unsigned))
        #expect(outcome(world.unsigned(.answer([]))) == .refuse(.unsigned))
        #expect(outcome(world.unsigned(.allow, signature: "1.x")) == .refuse(.badSignature))
        #expect(outcome(world.decision(.allow, shown, by: .new())) == .refuse(.notTrusted))
        #expect(outcome(world.unsigned(.allowIn(mode: "x"), signature: allow.signature)) == .refuse(.badSignature))
        #expect(outcome(world.unsigned(.allowWith(offer: "o"), signature: allow.signature)) == .refuse(.badSignature))
        #expect(outcome(world.unsigned(.answer([]), signature: allow.signature)) == .refuse(.badSignature))
        func at(_ approval: String, _ session: String, _ digest: InputDigest) -> ConsentGate.DecisionOutcome {
            world.gate.decided(allow, on: .named(approval), in: .named(session), digest: digest, pins: world.pins)
        }
        #expect(at("a2", "s1", shown.request.digest) == .refuse(.notShown))
        #expect(at("a1", "s2", shown.request.digest) == .refuse(.notShown))
        #expect(at("a1", "s1", world.inner) == .refuse(.notShown))
        #expect(
            outcome(allow)
                == .take(
                    world.inner,
                    {
                        var taken = allow; taken.clientName = "Ada's phone"; return taken
                    }(), by: world.device.id))
    }

    @Test func `an edit is taken with its own bytes alone, from a device that may allow and steer`() throws {
        let world = GateWorld()
        let shown = try world.show()
        let edit = Decision.Verdict.allowEdited(#"{"command":"ls"}"#)
        let signed = world.decision(edit, shown)
        let others: [Decision.Verdict] = [
            .allow, .allowEdited(#"{"command":"ls -a"}"#), .allowEdited(#"{"command": "ls"}"#), .allowEdited(""),
            .allowWith(offer: "edit"),
        ]
        for other in others {
            #expect(world.take(world.unsigned(other, signature: signed.signature), shown) == .refuse(.badSignature))
        }
        let allow = world.decision(.allow, shown)
        #expect(world.take(world.unsigned(edit, signature: allow.signature), shown) == .refuse(.badSignature))
        #expect(world.take(world.unsigned(edit), shown) == .refuse(.unsigned))
        for rights: Set<PinRight> in [[.allow], [.prompt], [.answer, .vouch]] {
            let device = ConsentIdentity.new()
            var pin = Pin.of(device)
            pin.may = rights
            try world.pins.trust(pin)
            #expect(world.take(world.decision(edit, shown, by: device), shown) == .refuse(.notTrusted))
        }
    }

    @Test func `an allow for the same question asked before is not taken`() throws {
        let world = GateWorld()
        let first = try world.show()
        let old = world.decision(.allow, first)
        let second = try world.show()
        #expect(world.take(old, first) == .refuse(.notShown))
        #expect(world.take(old, second) == .refuse(.badSignature))
    }

    @Test func `an allow for another host, session or approval is not taken`() throws {
        let (world, other) = (GateWorld(), GateWorld())
        let shown = try world.show()
        #expect(try world.take(world.decision(.allow, other.show()), shown) == .refuse(.badSignature))
        #expect(try world.take(world.decision(.allow, world.show(in: .named("s2"))), shown) == .refuse(.notShown))
        let third = GateWorld()
        let (a1, a2) = (try third.show(), try third.show(third.event(.named("a2"))))
        #expect(third.take(third.decision(.allow, a2), a1) == .refuse(.badSignature))
    }

    @Test func `a deny counts without a signature, and loses its words, its offer and its name`() throws {
        let world = GateWorld()
        let shown = try world.show()
        for deny: Decision.Verdict in [
            .deny(message: nil), .deny(message: "obey me"), .denyWith(offer: "o", message: "obey me"),
        ] {
            for signature in [nil, "1.x", world.decision(.allow, shown).signature] {
                guard
                    case .take(world.inner, let taken, by: nil) = world.take(world.unsigned(deny, signature: signature), shown)
                else {
                    #expect(Bool(false), "\(deny)")
                    continue
                }
                #expect(taken.verdict == .deny(message: nil) && taken.clientName == ConsentGate.unsignedName)
            }
        }
        // A deny for another input does not apply to this one.
        let elsewhere = world.gate.decided(
            world.unsigned(.deny(message: "x")), on: world.approval, in: world.session, digest: world.inner, pins: world.pins)
        #expect(elsewhere == .refuse(.notShown))
    }

    @Test func `a deny of what the gate does not know goes to the desk, without its words`() {
        let world = GateWorld()
        let outcome = world.gate.decided(
            world.unsigned(.deny(message: "obey me")), on: .named("old"), in: world.session, digest: world.inner,
            pins: world.pins)
        guard case .take(world.inner, let taken, by: nil) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(taken.verdict == .deny(message: nil))
    }

    @Test(arguments: PinRight.allCases)
    func `a device has the rights of its pin and no others`(right: PinRight) throws {
        let world = GateWorld(may: [right])
        let shown = try world.show()
        func isTaken(_ verdict: Decision.Verdict) -> Bool {
            if case .take(_, _, by: _?) = world.take(world.decision(verdict, shown), shown) { true } else { false }
        }
        #expect(isTaken(.allow) == (right == .allow) && isTaken(.deny(message: "no")) == (right == .allow))
        #expect(isTaken(.answer([])) == (right == .answer))
    }

    @Test func `a distrusted device's signature is worth nothing from then on`() throws {
        let world = GateWorld()
        let shown = try world.show()
        let allow = world.decision(.allow, shown)
        world.pins.distrust(world.device.id)
        #expect(world.take(allow, shown) == .refuse(.notTrusted))
    }

    @Test func `a device of a restored file decides nothing until it has said its count`() throws {
        let world = GateWorld()
        let shown = try world.show()
        _ = world.pins.begin(keyFile: .random(), fresh: .random())
        #expect(world.take(world.decision(.allow, shown), shown) == .refuse(.restored))
        #expect(
            world.steer(world.request(.prompt(.init(text: "go")), count: 1)) == .refuse(.restored))
    }

    @Test func `after a restart the notes are enough, and a broken one is no consent`() throws {
        let world = GateWorld()
        let sent = try world.wrap(world.event())
        let shown = try ShownText(parsing: #require(ShownText.text(inEvent: sent.event.bytes)))
        let allow = world.decision(.allow, shown)
        world.gate = ConsentGate(host: world.host.id, crypto)
        #expect(world.take(allow, shown) == .refuse(.notShown))
        world.gate.restore([world.approval: sent.note])
        guard case .take(world.inner, _, by: world.device.id) = world.take(allow, shown) else {
            return #expect(Bool(false), "forgotten")
        }
        for index in sent.note.indices {
            var gate = ConsentGate(host: world.host.id, crypto)
            gate.restore([world.approval: sent.note.changed(at: index)])
            let outcome = gate.decided(
                allow, on: world.approval, in: world.session, digest: shown.request.digest, pins: world.pins)
            // The inner digest is compared by the desk.
            if case .take(let digest, _, by: _) = outcome {
                #expect(digest != world.inner, "byte \(index)")
            }
        }
        world.gate.forget(world.approval)
        #expect(world.take(allow, shown) == .refuse(.notShown))
    }

    @Test func `beyond its limit the gate forgets the oldest approval`() throws {
        let world = GateWorld()
        let shown = try world.show()
        for index in 0..<ConsentGate.pendingMax { _ = try world.show(world.event(.named("b\(index)"))) }
        #expect(world.take(world.decision(.allow, shown), shown) == .refuse(.notShown))
    }
}
