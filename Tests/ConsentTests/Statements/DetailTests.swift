import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// Details that the scheme's test vectors lack, checked against a second implementation.
@Suite struct DetailTests {
    private let vectors = Vectors.all
    private let details = Vectors.details

    @Test(
        arguments: [
            ("allowIn", .allowIn(mode: "plan")), ("allowWith", .allowWith(offer: "always")),
            ("allowEdited", .allowEdited(#"{"command":"ls ö"}"#)),
            ("allowWithMode", .allowWith(offer: "always", mode: "plan")), ("denyWith", .denyWith(offer: "never", message: nil)),
            ("denyWithMessage", .denyWith(offer: "never", message: "nö")),
        ] as [(String, Decision.Verdict)])
    func `a decision with more than a verdict has the script's bytes`(name: String, verdict: Decision.Verdict) throws {
        let statement = DecisionStatement(
            host: try vectors.fixed("hostID"), session: .named("claude-0001"), approval: .named("a1"),
            shown: try vectors.fixed("decision.shown"), digest: try #require(InputDigest(vectors.text("decision.digest"))),
            verdict: verdict, issuedAt: try vectors.number("decision.issuedAt"), device: try vectors.fixed("deviceID"), crypto)
        #expect(try statement.bytes == details.bytes("decision.\(name)"))
    }

    private static let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 9)

    @Test(
        arguments: [
            ("prompt.command", .prompt(.init(text: "/compact", isCommand: true))),
            ("prompt.steer", .prompt(.init(text: "go", whenBusy: .steer))),
            ("prompt.picture", .prompt(.init(text: "go", pictures: [picture]))), ("steer.mode", .mode("plan")),
            ("steer.model", .model("big")), ("steer.askAllOff", .askAll(false)), ("steer.stop", .stop),
            ("steer.ruleOff", .ruleOff("tests")), ("steer.ruleAdd", .ruleAdd("[[rule]]\nname = \"ö\"")),
            ("steer.ruleChange", .ruleChange("tests", to: "[[rule]]\nname = \"ö\"")),
            (
                "steer.start",
                .launch(Launch(.start, project: "site", agent: "claude", mode: "plan", text: "go", pictures: [picture]))
            ),
            ("steer.resume", .launch(Launch(.resume("x"), project: "site", agent: "claude", model: "big"))),
        ] as [(String, SteeringAction)])
    func `a command has the script's bytes`(name: String, action: SteeringAction) throws {
        let statement = action.statement(
            host: try vectors.fixed("hostID"), session: .named("claude-0001"), command: .named("c9"), count: 41,
            device: try vectors.fixed("deviceID"), crypto)
        #expect(try statement.bytes == details.bytes(name))
    }

    @Test func `every other letter has the script's bytes`() throws {
        let (host, device) = (try ConsentIdentity.vector("host"), try ConsentIdentity.vector("device"))
        let generation = try #require(Generation(Array(0..<16)))
        let hash = try #require(ConsentHash([UInt8](repeating: 0xAA, count: 32)))
        let nonce = try #require(Nonce(Array(0..<16)))
        var pins = PinBook.trusting(device)
        var tablet = Pin.of(host, name: "tablet", by: .device(device.id))
        tablet.since = 2
        try pins.trust(tablet)
        let letters: [(String, LetterContent)] = [
            (
                "vouch",
                .vouch(
                    Vouch(host: host.id, sign: device.sign, box: device.box, name: "Ada's phone", count: 41, device: device.id))
            ),
            (
                "introduce",
                .introduction(
                    Introduction(
                        join: crypto.hash(try vectors.bytes("pair.join")), sign: device.sign,
                        host: HostPin(sign: host.sign, box: host.box, name: "Ada's laptop", since: 1, crypto), hosts: 3))
            ),
            ("distrust", .distrust(Distrust(host: host.id, distrusted: device.id, count: 41, device: device.id))),
            ("bump", .bump(Bump(host: host.id, generation: generation, count: 41, device: device.id))),
            ("ask", .ask(Ask(host: host.id, nonce: nonce, device: device.id))),
            ("roll", .roll(Roll(of: pins, sign: host.sign, letter: hash))),
            ("receipt", .receipt(Receipt(sign: host.sign, letter: hash))),
            ("refusal", .refusal(Refusal(sign: host.sign, letter: hash, reason: .usedSecret, generation: generation))),
        ]
        for (name, letter) in letters { #expect(try letter.body == details.bytes("letters.\(name)"), "\(name)") }
    }

    @Test func `the link of a device has the script's spelling, and no other of its kind is one`() throws {
        let device: KeyID = try vectors.fixed("deviceID")
        let secret = TrustSecret(.device(device, .named("c_phone")), secret: try vectors.fixed("link.secret"))
        #expect(try secret.text == details.text("deviceLink") && TrustSecret(text: secret.text) == secret)
        let head = [3] + device.bytes + secret.secret.bytes
        for client in ["", "two words", "\u{e9}", String(repeating: "x", count: 65)] {
            #expect(TrustSecret(text: Base64URL.text(head + Array(client.utf8))) == nil, "\(client)")
        }
        let longest = TrustSecret(.device(device, .named(String(repeating: "x", count: 64))), secret: secret.secret)
        #expect(TrustSecret(text: longest.text) == longest)
    }

    @Test func `a digest is salted as the script does it`() throws {
        let salted = ShownText.saltedDigest(
            of: try #require(InputDigest(details.text("salted.digest"))), tool: try details.text("salted.tool"),
            salt: try details.fixed("salted.salt"), crypto)
        #expect(try salted.rawValue == details.text("salted.is"))
    }
}
