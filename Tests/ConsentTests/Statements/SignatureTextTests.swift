import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct SignatureTextTests {
    private let good = try! SignatureText(parsing: Vectors.all.text("decision.allowWire"))

    @Test func `a text that is not exactly its one spelling is refused, with the place`() throws {
        let id = good.device.text
        let bytes = Base64URL.text(good.signature)
        let head = Base64URL.text([UInt8](repeating: 7, count: 37))
        let bad: [(String, String)] = [
            ("", "signature.version"), ("1.\(id).5", "signature"), ("1.\(id).5.\(bytes).", "signature"),
            ("1.\(id).5.\(bytes)" + String(repeating: "A", count: SignatureText.bytesMax), "signature"),
            ("2.\(id).5.\(bytes)", "signature"), ("3.\(id).5.\(bytes)", "signature.version"),
            ("01.\(id).5.\(bytes)", "signature.version"), ("1.\(id).5.\(bytes).A.A.A", "signature"),
            ("2.\(id).5.\(bytes).\(head).e30", "signature"), ("2.\(id).5.\(bytes).\(head).e30.\(bytes).", "signature"),
            ("2.\(id).5.\(bytes).\(head.dropLast(2)).e30.\(bytes)", "signature.proof"),
            ("2.\(id).5.\(bytes).\(head)..\(bytes)", "signature.proof"),
            ("2.\(id).5.\(bytes).\(head).e31.\(bytes)", "signature.proof"),
            ("2.\(id).5.\(bytes).\(head).e30.\(bytes.dropLast())", "signature.proof"),
            ("1.\(id.dropLast()).5.\(bytes)", "signature.device"), ("1..5.\(bytes)", "signature.device"),
            ("1.\(id).05.\(bytes)", "signature.number"), ("1.\(id).+5.\(bytes)", "signature.number"),
            ("1.\(id).-5.\(bytes)", "signature.number"), ("1.\(id)..\(bytes)", "signature.number"),
            ("1.\(id).9007199254740992.\(bytes)", "signature.number"), ("1.\(id).٥.\(bytes)", "signature.number"),
            ("1.\(id).5.\(bytes.dropLast())", "signature.bytes"), ("1.\(id).5.", "signature.bytes"),
            ("1.\(id).5.\(bytes.dropLast())B", "signature.bytes"),
        ]
        for (text, place) in bad {
            let error = #expect(throws: ConsentError.self, "\(text)") { try SignatureText(parsing: text) }
            #expect(error?.path == place, "\(text)")
        }
    }

    @Test func `what is read is written again`() throws {
        func text(_ proof: PasskeyProof?) throws -> SignatureText {
            try #require(
                SignatureText(device: good.device, number: JSONValue.integerMax, signature: good.signature, proof: proof))
        }
        let proof = try #require(
            PasskeyProof(
                authenticator: [UInt8](repeating: 1, count: PasskeyProof.authenticatorBytesMax),
                client: [UInt8](repeating: 2, count: PasskeyProof.clientBytesMax), signature: good.signature))
        #expect(try text(proof).text.utf8.count == SignatureText.bytesMax)
        #expect(SignatureText.bytesMax <= WireLimits.signatureBytesMax)
        for longest in [try text(nil), try text(proof)] { #expect(try SignatureText(parsing: longest.text) == longest) }
        #expect(SignatureText(device: good.device, number: -1, signature: good.signature) == nil)
        #expect(SignatureText(device: good.device, number: 1, signature: Array(good.signature.dropLast())) == nil)
    }
}
