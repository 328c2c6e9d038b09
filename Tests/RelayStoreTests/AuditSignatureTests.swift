import Consent
import ConsentKeys
import Foundation
import HeliographTestSupport
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreTestSupport
import Testing

/// Devices' signatures, verified from the audit's lines alone.
@Suite("Signatures in the audit log", .scratch)
struct AuditSignatureTests {
    private static let session = SessionID("s1")!
    private static let key = SessionKey(workspace: WorkspaceID("home")!, session: session)
    private static let phone = Named<ClientTag>(id: ClientID("phone")!, name: "Ada's phone")
    private let host = PrivateKeys().identity.id
    private let device = PrivateKeys().identity
    private let stranger = PrivateKeys().identity

    // MARK: The log

    /// An approval as a signed host asks for it.
    private func approval(_ name: String, needsPasskey: Bool = false) throws -> (Approval, ShownText) {
        var request = ApprovalRequest(
            approval: ApprovalID(name)!, kind: .tool, tool: "Bash", title: "ls",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        request.needsPasskey = needsPasskey
        let inner = Event(.approvalRequested(request), at: 900) { $0.field("command", "ls") }
        let text = String(
            decoding: JSONWriter.object {
                $0.field("salt", Salt.random().text)
                $0.field("host", host.text)
                $0.field("session", Self.session)
                $0.raw("event", inner.bytes)
            }, as: UTF8.self)
        let outer = Event(.approvalRequested(request), at: 900) { $0.field("shown", text) }
        return (
            Approval(session: Self.session, request: request, requestBytes: outer.bytes, requestedAt: 900, seq: 1),
            try ShownText(parsing: text)
        )
    }

    private func decided(
        _ name: String, _ verdict: Decision.Verdict, by signer: ConsentIdentity?, signed other: Decision.Verdict? = nil,
        isSealed: Bool = false, isOld: Bool = false
    ) throws -> [AuditRecord] {
        var (approval, shown) = try approval(name)
        if isSealed {
            var request = approval.request
            let hash = InputDigest(shown.hash(.openSSL))
            if !isOld { request.consent = RequestConsent(host: HostKeyID(host.text)!, shown: hash) }
            let bytes = Event(.approvalRequested(request), at: 900) { $0.field("sealed", "AQ") }.bytes
            approval = Approval(session: Self.session, request: request, requestBytes: bytes, requestedAt: 900, seq: 1)
        }
        let statement = DecisionStatement(
            host: host, session: Self.session, approval: approval.id, shown: shown.hash(.openSSL),
            digest: approval.request.digest,
            verdict: other ?? verdict, issuedAt: 1_700, device: signer?.id ?? device.id, .openSSL)
        let decision = Decision(
            verdict, client: Self.phone.id, clientName: Self.phone.name, at: 1_701, command: CommandID("k1")!,
            signature: signer.map { statement.signed(by: $0).text })
        approval.stage = ApprovalStage(.decided, decision, at: 1_701)
        return [AuditRecord(approval, at: 1_701, workspace: Self.key.workspace)]
    }

    private func stale(_ name: String) throws -> AuditRecord {
        var (approval, _) = try approval(name)
        approval.stage = ApprovalStage(.stale, nil, at: 1_800)
        return AuditRecord(approval, at: 1_800, workspace: Self.key.workspace)
    }

    private func asked(
        _ action: SteeringAction, _ name: String = "k1", by signer: ConsentIdentity?, signed other: SteeringAction? = nil,
        at signedHost: Bool = true
    ) -> AuditRecord {
        let command = CommandID(name)!
        let statement = (other ?? action).statement(
            host: host, session: Self.session, command: command, count: 7, device: signer?.id ?? device.id, .openSSL)
        let request = SteeringRequest(
            command: command, session: Self.session, by: Self.phone, action: action,
            signature: signer.map { statement.signed(by: $0).text })
        let call = SteeringCall(request, consent: signedHost ? HostKeyID(host.text) : nil)
        let event = Event(.steeringRequested(call), at: 2_000) { action.writeBody(to: &$0, isSigned: call.signature != nil) }
        return record(event)
    }

    private func record(_ event: Event) -> AuditRecord {
        AuditRecord(steering: LogEvent(kind: event.head.kind, at: event.at, bytes: event.bytes), of: Self.key)!
    }

    private func lines(_ records: [AuditRecord]) -> [[UInt8]] {
        var head = AuditHead(workspace: Self.key.workspace, n: 0, hash: String(repeating: "0", count: 64))
        return records.map { record in
            let (line, next) = record.line(after: head)
            head = next
            return line
        }
    }

    private func verify(_ lines: [[UInt8]], devices: [UInt8]? = nil) throws -> SignatureReport {
        let file = Scratch.current.path + "/devices-\(UUID()).json"
        let pin = #"{"devices":[{"id":"\#(device.id.text)","sign":"\#(device.sign.text)","name":"phone"}]}"#
        try Data(devices ?? Array(pin.utf8)).write(to: URL(filePath: file))
        var verifier = SignatureVerifier(try SigningKeys(files: [file]))
        for (index, line) in lines.enumerated() { verifier.take(line, at: "line \(index + 1)") }
        return verifier.finish()
    }

    private func verify(_ records: [AuditRecord]) throws -> SignatureReport { try verify(lines(records)) }

    // MARK: Decisions

    static let verdicts: [Decision.Verdict] = [
        .allow, .allowIn(mode: "plan"), .allowWith(offer: "o1"), .deny(message: nil), .deny(message: "not \"here\"\u{85}"),
        .denyWith(offer: "o2", message: "no"),
        .answer([Answer(question: "q0", choices: ["Blue", "Grün"], text: "dark"), Answer(question: "q1", choices: [])]),
    ]

    @Test("every signed decision is proven", arguments: verdicts)
    func decisions(_ verdict: Decision.Verdict) throws {
        let report = try verify(decided("a1", verdict, by: device))
        #expect(report.provenCount == 1 && report.faultCount == 0, "\(report.faults)")
    }

    @Test("what is signed of one verdict proves no other", arguments: verdicts)
    func otherVerdicts(_ verdict: Decision.Verdict) throws {
        for other in Self.verdicts where other != verdict {
            let report = try verify(decided("a1", verdict, by: device, signed: other))
            #expect(report.provenCount == 0 && report.faultCount == 1, "\(other)")
        }
    }

    @Test("an allow that nobody signed, or somebody who is not in the list, is named with its line")
    func unproven() throws {
        let report = try verify(
            decided("a1", .allow, by: nil) + decided("a2", .allow, by: stranger) + decided("a3", .allow, by: device))
        #expect(report.provenCount == 1 && report.faultCount == 2)
        #expect(report.faults.first == "line 1: what a1 was decided is not proven: nobody has signed it")
        #expect(report.faults.last?.hasPrefix("line 2: what a2 was decided is not proven: the device") == true)
    }

    @Test("what a passkey confirmed is proven, too, and one that is missing or wrong is a fault")
    func passkeys() throws {
        let (passkey, other) = (PrivateKeys().identity, PrivateKeys().identity)
        func record(_ name: String, by key: ConsentIdentity?, over verdict: Decision.Verdict = .allow) throws -> [AuditRecord] {
            var (approval, shown) = try approval(name, needsPasskey: true)
            func statement(_ verdict: Decision.Verdict) -> DecisionStatement {
                DecisionStatement(
                    host: host, session: Self.session, approval: approval.id, shown: shown.hash(.openSSL),
                    digest: approval.request.digest, verdict: verdict, issuedAt: 1_700, device: device.id, .openSSL)
            }
            let text = statement(.allow).signed(by: device)
            let client = JSONWriter.object {
                $0.field("type", "webauthn.get")
                $0.field("challenge", Base64URL.text(ConsentCrypto.openSSL.sha256(statement(verdict).bytes)))
                $0.field("origin", "https://relay.example")
            }
            let authenticator = ConsentCrypto.openSSL.sha256(Array("relay.example".utf8)) + [5, 0, 0, 0, 0]
            let proof = key.flatMap {
                PasskeyProof(
                    authenticator: authenticator, client: client,
                    signature: $0.signature(authenticator + ConsentCrypto.openSSL.sha256(client)))
            }
            let signed = SignatureText(device: device.id, number: 1_700, signature: text.signature, proof: proof)
            let decision = Decision(
                .allow, client: Self.phone.id, clientName: Self.phone.name, at: 1_701, command: CommandID("k1")!,
                signature: signed?.text)
            approval.stage = ApprovalStage(.decided, decision, at: 1_701)
            return [AuditRecord(approval, at: 1_701, workspace: Self.key.workspace)]
        }
        let pin = """
            {"devices":[{"id":"\(device.id.text)","sign":"\(device.sign.text)","name":"phone","passkeys":\
            [{"sign":"\(passkey.sign.text)","origin":"https://relay.example","since":1}]}]}
            """
        let records =
            try record("a1", by: passkey) + record("a2", by: nil) + record("a3", by: other)
            + record("a4", by: passkey, over: .deny(message: nil)) + record("a5", by: nil) + [stale("a5")]
        let report = try verify(lines(records), devices: Array(pin.utf8))
        #expect((report.provenCount, report.passkeyCount, report.refusedCount, report.faultCount) == (1, 1, 1, 3))
        #expect(
            report.faults == [
                "line 2: what a2 was decided is not proven: no passkey has confirmed it",
                "line 3: what a3 was decided is not proven: its passkey does not prove it (passkeyUnknown)",
                "line 4: what a4 was decided is not proven: its passkey does not prove it (passkeyWrong)",
            ])
    }

    @Test("a deny without a signature needs none, and what its host refused is no fault")
    func harmless() throws {
        let report = try verify(
            decided("a1", .deny(message: "no"), by: nil) + decided("a2", .allow, by: nil) + [stale("a2")])
        #expect((report.unsignedCount, report.refusedCount, report.faultCount) == (1, 1, 0))
    }

    @Test("a decision on what was sealed is proven, too", arguments: verdicts)
    func sealed(_ verdict: Decision.Verdict) throws {
        let report = try verify(decided("a1", verdict, by: device, isSealed: true))
        #expect(report.provenCount == 1 && report.faultCount == 0 && report.sealedCount == 0, "\(report.faults)")
        for other in Self.verdicts where other != verdict {
            let report = try verify(decided("a1", verdict, by: device, signed: other, isSealed: true))
            #expect(report.provenCount == 0 && report.faultCount == 1, "\(other)")
        }
    }

    @Test("if its host did not say what is signed of what it sealed, a decision is told apart: its signature is there")
    func sealedBefore() throws {
        func decided(_ name: String, _ verdict: Decision.Verdict, by signer: ConsentIdentity?) throws -> [AuditRecord] {
            try self.decided(name, verdict, by: signer, isSealed: true, isOld: true)
        }
        let report = try verify(
            decided("a1", .allow, by: device) + decided("a2", .allow, by: nil) + decided("a3", .allow, by: stranger)
                + decided("a4", .deny(message: nil), by: nil))
        #expect((report.sealedCount, report.unsignedCount, report.provenCount, report.faultCount) == (1, 1, 0, 2))
        let line = String(decoding: try #require(lines(self.decided("a1", .allow, by: device)).first), as: UTF8.self)
        let earlier = try #require(line.firstMatch(of: /,"consent":{[^}]*}/)).output
        #expect(try verify([Array(line.replacing(earlier, with: "").utf8)]).sealedCount == 1)
    }

    @Test("any other session, approval, digest, host or text that was shown proves nothing")
    func changes() throws {
        let line = String(decoding: try #require(lines(decided("a1", .allow, by: device)).first), as: UTF8.self)
        #expect(try verify([Array(line.utf8)]).provenCount == 1)
        let shown = try #require(line.firstMatch(of: /"shown":"(.)/)).output.1
        let digest = try #require(line.firstMatch(of: /"digest":"(.)/)).output.1
        let changed = [
            line.replacing(#""session":"s1""#, with: #""session":"s2""#),
            line.replacing(#""approval":"a1""#, with: #""approval":"a2""#),
            line.replacing(#""shown":"\#(shown)"#, with: #""shown":"\#(shown == "0" ? "1" : "0")"#),
            line.replacing(#""digest":"\#(digest)"#, with: #""digest":"\#(digest == "0" ? "1" : "0")"#),
            line.replacing(host.text, with: stranger.id.text), line.replacing(".1700.", with: ".1701."),
        ]
        for line in changed {
            let report = try verify([Array(line.utf8)])
            #expect(report.provenCount == 0 && report.faultCount == 1, "\(line)")
        }
    }

    // MARK: Commands

    static let actions: [SteeringAction] = [
        .prompt(.init(text: "go on")), .prompt(.init(text: "go on", whenBusy: .steer)),
        .prompt(.init(text: "/compact", isCommand: true)), .mode("plan"), .model("m1"), .askAll(false), .ruleOff("tests"),
        .ruleAdd("[[rule]]"), .ruleChange("tests", to: "[[rule]]"),
        .launch(Launch(.start, project: "site", agent: "claude", text: "begin")),
        .launch(Launch(.resume("p1"), project: "site", agent: "claude", mode: "plan")),
    ]

    @Test("every signed command is proven", arguments: actions)
    func commands(_ action: SteeringAction) throws {
        let report = try verify([asked(action, by: device)])
        #expect(report.provenCount == 1 && report.faultCount == 0, "\(report.faults)")
    }

    @Test("what is signed of one command proves no other", arguments: actions)
    func otherCommands(_ action: SteeringAction) throws {
        for other in Self.actions where other != action {
            let report = try verify([asked(action, by: device, signed: other)])
            #expect(report.provenCount == 0 && report.faultCount == 1, "\(other)")
        }
    }

    @Test("a record of another text than the signed one is a fault, though the rest fits")
    func otherText() throws {
        let line = String(
            decoding: try #require(lines([asked(.prompt(.init(text: "go on")), by: device)]).first), as: UTF8.self)
        let digest = try #require(line.firstMatch(of: /"digest":"([0-9a-f]{64})"/)).output.1
        let other = line.replacing(#""digest":"\#(digest)""#, with: #""digest":"\#(String(repeating: "0", count: 64))""#)
        #expect(try verify([Array(other.utf8)]).faults.first?.hasSuffix("something else than what was signed") == true)
    }

    @Test("a prompt without a signature is a fault unless its host refused it")
    func refusedPrompt() throws {
        let prompt = asked(.prompt(.init(text: "go on")), by: nil)
        #expect(try verify([prompt]).faultCount == 1)
        let name = SteeringName(client: Self.phone.id, command: CommandID("k1")!)
        let refusal = record(Event(.steeringChanged(SteeringChange(name, .refused, reason: "unsigned")), at: 2_001))
        let report = try verify([prompt, refusal])
        #expect((report.refusedCount, report.faultCount) == (1, 0))
    }

    @Test("what never gives an agent more freedom, and what an open host takes, needs no signature")
    func needsNone() throws {
        let report = try verify([
            asked(.interrupt, by: nil), asked(.stop, "k2", by: nil), asked(.askAll(true), "k3", by: nil),
            asked(.prompt(.init(text: "go on")), "k4", by: nil, at: false),
        ])
        #expect((report.unsignedCount, report.faultCount) == (4, 0))
    }

    @Test("an open host's records say nothing of consent, whatever its clients send")
    func open() throws {
        let line = String(
            decoding: try #require(lines([asked(.prompt(.init(text: "x")), by: device, at: false)]).first), as: UTF8.self)
        #expect(!line.contains("consent") && !line.contains("signature"))
    }

    @Test("a device that is distrusted by now proves what it signed before")
    func distrusted() throws {
        var pins = PinBook(generation: .random())
        try pins.trust(
            Pin(
                sign: device.sign, box: device.box, name: "phone", since: 1, by: .terminal, may: [.allow], .openSSL))
        pins.distrust(device.id)
        let lines = lines([asked(.prompt(.init(text: "go on")), by: device)])
        #expect(try verify(lines, devices: pins.bytes).provenCount == 1)
        // The file as hosts wrote it before they kept the keys.
        let older = #"{"devices":[],"distrusted":[{"id":"\#(device.id.text)","count":3}]}"#
        #expect(try verify(lines, devices: Array(older.utf8)).provenCount == 0)
    }

    @Test(
        "a file that lists no keys is refused with its place",
        arguments: ["", "{", "{\"sign\":\"AAAA\"}", "[7]", "{\"devices\":[{}]}"])
    func badLists(text: String) throws {
        let file = Scratch.current.path + "/devices-\(UUID()).json"
        try Data(text.utf8).write(to: URL(filePath: file))
        if text.isEmpty {
            _ = try SigningKeys(files: [file])
        } else {
            #expect(throws: LogError.self) { try SigningKeys(files: [file]) }
        }
    }
}
