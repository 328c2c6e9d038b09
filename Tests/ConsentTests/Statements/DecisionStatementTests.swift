import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct DecisionStatementTests {
    private let vectors = Vectors.all

    private func statement(_ verdict: Decision.Verdict) throws -> DecisionStatement {
        DecisionStatement(
            host: try vectors.fixed("hostID"), session: .named("claude-0001"),
            approval: .named(try vectors.text("decision.approval")), shown: try vectors.fixed("decision.shown"),
            digest: try #require(InputDigest(vectors.text("decision.digest"))), verdict: verdict,
            issuedAt: try vectors.number("decision.issuedAt"), device: try vectors.fixed("deviceID"), crypto)
    }

    private func answers() throws -> [Answer] {
        try vectors.value("decision.answers").array().map { entry in
            Answer(
                question: try entry.string("question"), choices: try entry.array("choices").map { try $0.string() },
                text: try entry.optionalString("text"))
        }
    }

    @Test func `an allow, a deny and answers are the bytes of the vectors`() throws {
        #expect(try statement(.allow).bytes == vectors.bytes("decision.allow"))
        #expect(try statement(.deny(message: vectors.text("decision.denyMessage"))).bytes == vectors.bytes("decision.deny"))
        #expect(try statement(.answer(answers())).bytes == vectors.bytes("decision.answer"))
        #expect(
            try ShownText.hash(of: String(decoding: vectors.bytes("body.plain"), as: UTF8.self), crypto).text
                == vectors.text("decision.shown"))
    }

    @Test func `the vectors' signatures verify, on the wire too`() throws {
        let point: SigningPoint = try vectors.fixed("keys.deviceSign.public")
        for (name, verdict) in [
            ("allow", .allow), ("deny", .deny(message: try vectors.text("decision.denyMessage"))),
            ("answer", .answer(try answers())),
        ]
            as [(String, Decision.Verdict)]
        {
            let statement = try statement(verdict)
            let text = try #require(
                SignatureText(
                    device: statement.device, number: statement.issuedAt, signature: vectors.bytes("decision.\(name)Signature"))
            )
            #expect(statement.isSigned(text, by: point, crypto), "\(name)")
        }
        let text = try SignatureText(parsing: vectors.text("decision.allowWire"))
        #expect(try statement(.allow).isSigned(text, by: point, crypto))
        #expect(try text.text == vectors.text("decision.allowWire"))
    }

    @Test func `no other decision, and none with a changed byte or field, has the vector's signature`() throws {
        let point: SigningPoint = try vectors.fixed("keys.deviceSign.public")
        let text = try SignatureText(parsing: vectors.text("decision.allowWire"))
        let statement = try statement(.allow)
        for index in statement.bytes.indices {
            #expect(
                !crypto.verify(text.signature, statement.bytes.changed(at: index), point.bytes),
                "byte \(index) of the statement")
        }
        for index in text.signature.indices {
            #expect(
                !crypto.verify(text.signature.changed(at: index), statement.bytes, point.bytes),
                "byte \(index) of the signature")
        }
        for index in point.bytes.indices {
            #expect(
                !crypto.verify(text.signature, statement.bytes, point.bytes.changed(at: index)), "byte \(index) of the point")
        }
        let others: [(inout DecisionStatement) -> Void] = [
            { $0.host = .random() }, { $0.session = .named("claude-0002") }, { $0.approval = .named("a2") },
            { $0.shown = .random() }, { $0.digest = InputDigest(.random()) }, { $0.deed = .answer },
            { $0.detail = [UInt8](repeating: 0, count: 32) }, { $0.issuedAt += 1 }, { $0.device = .random() },
        ]
        for (index, change) in others.enumerated() {
            var other = statement
            change(&other)
            #expect(!other.isSigned(text, by: point, crypto), "change \(index)")
        }
    }

    @Test func `each verdict that differs in effect has another statement`() throws {
        let verdicts: [Decision.Verdict] = [
            .allow, .allowIn(mode: "plan"), .allowIn(mode: "acceptEdits"), .allowWith(offer: "plan"),
            .allowWith(offer: "always"), .allowWith(offer: "always", mode: "plan"), .deny(message: nil), .deny(message: "no"),
            .deny(message: "\u{0}\u{0}\u{0}\u{5}offer\u{0}\u{0}\u{0}\u{1}x"), .denyWith(offer: "x", message: nil),
            .denyWith(offer: "x", message: "no"), .denyWith(offer: "xno", message: nil), .answer([]),
            .answer([Answer(question: "q", choices: ["a", "b"])]), .answer([Answer(question: "q", choices: ["ab"])]),
            .answer([Answer(question: "q", choices: ["a"], text: "b")]), .answer([Answer(question: "qa", choices: ["b"])]),
            .answer([Answer(question: "q", choices: ["a"]), Answer(question: "p", choices: ["b"])]),
            .answer([Answer(question: "p", choices: ["b"]), Answer(question: "q", choices: ["a"])]),
        ]
        let statements = try verdicts.map { try statement($0).bytes }
        #expect(Set(statements).count == verdicts.count)
    }

    @Test func `what no signature covers is dropped`() {
        #expect(Decision.Verdict.deny(message: "").covered == .deny(message: nil))
        #expect(Decision.Verdict.denyWith(offer: "x", message: "").covered == .denyWith(offer: "x", message: nil))
        let answer = Answer(question: "q", choices: ["a"], indexes: [3], text: "")
        #expect(Decision.Verdict.answer([answer]).covered == .answer([Answer(question: "q", choices: ["a"])]))
    }
}
