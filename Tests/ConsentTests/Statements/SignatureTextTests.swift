import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct SignatureTextTests {
    private let good = try! SignatureText(parsing: Vectors.all.text("decision.allowWire"))

    @Test func `a text that is not exactly its one spelling is refused, with the place`() throws {
        let id = good.device.text
        let bytes = Base64URL.text(good.signature)
        let bad: [(String, String)] = [
            ("", "signature"), ("1.\(id).5", "signature"), ("1.\(id).5.\(bytes).", "signature"),
            ("1.\(id).5.\(bytes)" + String(repeating: "A", count: 64), "signature"),
            ("2.\(id).5.\(bytes)", "signature.version"), ("01.\(id).5.\(bytes)", "signature.version"),
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
        let longest = try #require(
            SignatureText(device: good.device, number: JSONValue.integerMax, signature: good.signature))
        #expect(longest.text.utf8.count == SignatureText.bytesMax)
        #expect(try SignatureText(parsing: longest.text) == longest)
        #expect(SignatureText(device: good.device, number: -1, signature: good.signature) == nil)
        #expect(SignatureText(device: good.device, number: 1, signature: Array(good.signature.dropLast())) == nil)
    }
}
