import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// Requests that the owner wants confirmed by a passkey.
@Suite struct PasskeyGateTests {
    private let world = GateWorld()
    private let own = Authenticator()

    private func shown() throws -> ShownText {
        var request = ApprovalRequest(
            approval: world.approval, kind: .tool, tool: "Bash", title: "make deploy", digest: world.inner)
        request.needsPasskey = true
        return try world.show(Event(.approvalRequested(request), at: 5) { $0.raw("input", Array("{}".utf8)) })
    }

    private func take(_ passkeys: Authenticator...) throws {
        var desk = TrustDesk(world.host, crypto)
        for (count, one) in passkeys.enumerated() {
            let ask = PasskeyAsk(
                host: world.host.id, passkey: one.keys.sign, origin: PasskeyOrigin(one.origin)!, count: Int64(count) + 1,
                device: world.device.id)
            _ = desk.received(
                SignedLetter(.passkey(ask), by: world.device, crypto).bytes, at: 0, wall: 0, nonce: .random(), pins: &world.pins
            )
            #expect(world.pins.takePasskey(of: world.device.id) != nil)
        }
    }

    private func decision(
        _ verdict: Decision.Verdict, _ shown: ShownText, confirmed: Decision.Verdict? = nil,
        by authenticator: Authenticator? = nil,
        device: ConsentIdentity? = nil
    ) -> Decision {
        let device = device ?? world.device
        func statement(_ verdict: Decision.Verdict) -> DecisionStatement {
            DecisionStatement(
                host: shown.host, session: shown.session, approval: shown.request.approval, shown: shown.hash(crypto),
                digest: shown.request.digest, verdict: verdict, issuedAt: 77, device: device.id, crypto)
        }
        let plain = statement(verdict).signed(by: device)
        let proof = (authenticator ?? own).proof(over: statement(confirmed ?? verdict).bytes)
        let text = SignatureText(device: plain.device, number: plain.number, signature: plain.signature, proof: proof)
        return world.unsigned(verdict, signature: text?.text)
    }

    @Test func `the text that is signed says that a passkey is wanted`() throws {
        #expect(try shown().request.needsPasskey)
        #expect(try !world.show().request.needsPasskey)
    }

    @Test func `an allow and an answer are taken with the device's signature and its passkey's proof`() throws {
        let shown = try shown()
        try take(Authenticator(), own)
        for verdict: Decision.Verdict in [.allow, .allowWith(offer: "o"), .allowIn(mode: "m"), .answer([])] {
            var taken = decision(verdict, shown)
            let outcome = world.take(taken, shown)
            taken.clientName = "Ada's phone"
            #expect(outcome == .take(world.inner, taken, by: world.device.id))
        }
    }

    @Test func `anything less is refused, and says why`() throws {
        let shown = try shown()
        func outcome(_ decision: Decision) -> ConsentGate.DecisionOutcome { world.take(decision, shown) }
        #expect(outcome(decision(.allow, shown)) == .refuse(.passkeyUnknown))
        try take(own)
        #expect(outcome(world.decision(.allow, shown)) == .refuse(.passkeyMissing))
        #expect(outcome(world.decision(.answer([]), shown)) == .refuse(.passkeyMissing))
        #expect(outcome(decision(.allow, shown, confirmed: .deny(message: nil))) == .refuse(.passkeyWrong))
        #expect(outcome(decision(.allowWith(offer: "o"), shown, confirmed: .allow)) == .refuse(.passkeyWrong))
        #expect(outcome(decision(.allow, shown, by: Authenticator())) == .refuse(.passkeyUnknown))
        var unverified = own
        unverified.flags = 0x01
        #expect(outcome(decision(.allow, shown, by: unverified)) == .refuse(.passkeyNotVerified))
        // A passkey is not a device.
        #expect(outcome(decision(.allow, shown, device: .new())) == .refuse(.notTrusted))
        let other = ConsentIdentity.new()
        try world.pins.trust(.of(other))
        #expect(outcome(decision(.allow, shown, device: other)) == .refuse(.passkeyUnknown))
        world.pins.distrust(world.device.id)
        #expect(outcome(decision(.allow, shown)) == .refuse(.notTrusted))
        try world.pins.trust(.of(world.device))
        #expect(outcome(decision(.allow, shown)) == .refuse(.passkeyUnknown), "a device that comes back asks for it again")
    }

    @Test func `a denial needs no passkey, and nothing else does that the owner has not marked`() throws {
        let guarded = try shown()
        guard case .take(_, _, by: world.device.id) = world.take(world.decision(.deny(message: "no"), guarded), guarded) else {
            return #expect(Bool(false), "a denial is refused")
        }
        guard case .take = world.take(world.unsigned(.deny(message: nil)), guarded) else {
            return #expect(Bool(false), "a denial is refused")
        }
        let plain = try world.show()
        guard case .take = world.take(world.decision(.allow, plain), plain) else {
            return #expect(Bool(false), "a passkey is wanted for everything")
        }
    }

    @Test func `after a restart a passkey is still wanted`() throws {
        var request = ApprovalRequest(
            approval: world.approval, kind: .tool, tool: "Bash", title: "make deploy", digest: world.inner)
        request.needsPasskey = true
        let sent = try world.wrap(Event(.approvalRequested(request), at: 5) { _ in })
        let shown = try ShownText(parsing: #require(ShownText.text(inEvent: sent.event.bytes)))
        world.gate = ConsentGate(host: world.host.id, crypto)
        world.gate.restore([world.approval: sent.note])
        #expect(world.take(world.decision(.allow, shown), shown) == .refuse(.passkeyMissing))
    }
}
