import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct PasskeyProofTests {
    private let vectors = Vectors.all
    private let own = Vectors.passkeys

    private func passkey() throws -> Passkey {
        Passkey(sign: try own.fixed("public"), origin: try #require(PasskeyOrigin(own.text("origin"))), since: 0)
    }

    @Test func `the vector's letter and proof are as another program made them`() throws {
        let ask = PasskeyAsk(
            host: try vectors.fixed("hostID"), passkey: try own.fixed("public"),
            origin: try #require(PasskeyOrigin(own.text("origin"))), count: try own.number("count"),
            device: try vectors.fixed("deviceID"))
        #expect(try ask.bytes == own.bytes("letter"))
        let text = try SignatureText(parsing: own.text("wire"))
        #expect(try text.text == own.text("wire"))
        let proof = try #require(text.proof)
        #expect(try proof.authenticator == own.bytes("authenticator") && proof.client == own.bytes("client"))
        #expect(try proof.problem(of: vectors.bytes("decision.allow"), by: [passkey()], crypto) == nil)
        let plain = try SignatureText(parsing: vectors.text("decision.allowWire"))
        #expect(text.device == plain.device && text.number == plain.number && text.signature == plain.signature)
    }

    @Test func `with any byte changed nothing is proven`() throws {
        let proof = try #require(SignatureText(parsing: own.text("wire")).proof)
        let (statement, passkey) = (try vectors.bytes("decision.allow"), try passkey())
        func isProven(_ authenticator: [UInt8], _ client: [UInt8], _ signature: [UInt8], _ statement: [UInt8]) -> Bool {
            let other = PasskeyProof(authenticator: authenticator, client: client, signature: signature)
            return other?.problem(of: statement, by: [passkey], crypto) == nil && other != nil
        }
        #expect(isProven(proof.authenticator, proof.client, proof.signature, statement))
        for index in proof.authenticator.indices {
            #expect(!isProven(proof.authenticator.changed(at: index), proof.client, proof.signature, statement), "\(index)")
        }
        for index in proof.client.indices {
            #expect(!isProven(proof.authenticator, proof.client.changed(at: index), proof.signature, statement), "\(index)")
        }
        for index in proof.signature.indices {
            #expect(!isProven(proof.authenticator, proof.client, proof.signature.changed(at: index), statement), "\(index)")
        }
        for index in statement.indices {
            #expect(!isProven(proof.authenticator, proof.client, proof.signature, statement.changed(at: index)), "\(index)")
        }
        for name in ["answer", "deny"] {
            #expect(try !isProven(proof.authenticator, proof.client, proof.signature, vectors.bytes("decision.\(name)")))
        }
    }

    @Test func `what is wrong with a proof is said`() throws {
        let statement: [UInt8] = Array("a statement".utf8)
        var own = Authenticator()
        func problem(_ proof: PasskeyProof, by passkeys: [Passkey]? = nil) -> ConsentRefusal? {
            proof.problem(of: statement, by: passkeys ?? [own.passkey], crypto)
        }
        #expect(problem(own.proof(over: statement)) == nil)
        #expect(problem(own.proof(over: statement), by: [Authenticator().passkey, own.passkey]) == nil)
        #expect(problem(own.proof(over: statement), by: []) == .passkeyUnknown)
        #expect(problem(own.proof(over: statement), by: [Authenticator().passkey]) == .passkeyUnknown)
        #expect(problem(Authenticator().proof(over: statement)) == .passkeyUnknown)
        #expect(problem(own.proof(over: Array("another".utf8))) == .passkeyWrong)
        #expect(problem(own.proof(over: statement, type: "webauthn.create")) == .passkeyWrong)
        #expect(problem(own.proof(over: statement, relyingParty: "other.example")) == .passkeyWrong)
        #expect(problem(own.proof(over: statement, isCrossOrigin: true)) == .passkeyWrong)
        let passkey = own.passkey
        own.origin = "https://relay.example:8443"
        #expect(problem(own.proof(over: statement), by: [passkey]) == .passkeyUnknown)
        own.origin = "https://relay.example"
        for flags: UInt8 in [0x00, 0x01, 0x04, 0x18] {
            own.flags = flags
            #expect(problem(own.proof(over: statement)) == .passkeyNotVerified, "\(flags)")
        }
    }

    @Test func `JSON of another shape proves nothing`() throws {
        let own = Authenticator()
        let challenge = Base64URL.text(crypto.sha256([1]))
        for client in [
            "", "[]", "null", "{}", "\u{FEFF}{}", #"{"type":"webauthn.get","challenge":"\#(challenge)"}"#,
            #"{"type":"webauthn.get","challenge":1,"origin":"https://relay.example"}"#,
            #"{"type":"webauthn.get","challenge":"\#(challenge)=","origin":"https://relay.example"}"#,
            #"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"https://relay.example","crossOrigin":"no"}"#,
        ] {
            let authenticator = crypto.sha256(Array("relay.example".utf8)) + [5, 0, 0, 0, 0]
            let signature = own.keys.signature(authenticator + crypto.sha256(Array(client.utf8)))
            let proof = PasskeyProof(authenticator: authenticator, client: Array(client.utf8), signature: signature)
            #expect(proof == nil || proof?.problem(of: [1], by: [own.passkey], crypto) == .passkeyWrong, "\(client)")
        }
    }

    @Test func `an origin is a name over TLS, or localhost`() {
        for good in [
            "https://relay.example", "https://a", "https://relay.example:8443", "http://localhost", "http://localhost:8787",
        ] {
            #expect(PasskeyOrigin(good)?.text == good, "\(good)")
        }
        #expect(PasskeyOrigin("https://relay.example:8443")?.host == "relay.example")
        for bad in [
            "", "relay.example", "https://", "http://relay.example", "https://relay.example/", "https://Relay.example",
            "https://relay.example:", "https://relay.example:080", "https://relay.example:70000", "https://relay..example",
            "https://127.0.0.1", "https://[::1]", "http://127.0.0.1:8787", "http://localhost.example",
            "https://a@relay.example",
            "https://relay.example\n", "https://relay.ex\u{E4}mple", "https://" + String(repeating: "a", count: 270),
        ] {
            #expect(PasskeyOrigin(bad) == nil, "\(bad)")
        }
    }
}
