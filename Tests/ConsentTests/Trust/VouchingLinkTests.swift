import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct VouchingLinkTests {
    private let secret = TrustSecret(.device(ConsentIdentity.new().id, ClientID("c1")!), secret: .random())

    @Test func `the code is the relay's, and the address the one that this device uses`() {
        let link = VouchingLink("https://relay.example/#pair=ab-C_9", at: "https://relay.example/", secret)
        #expect(link?.text == "https://relay.example/#pair=ab-C_9&k=\(secret.text)")
        let elsewhere = VouchingLink("https://other.example/#pair=abcd", at: "https://relay.example", secret)
        #expect(elsewhere?.text.hasPrefix("https://relay.example/#pair=abcd&k=") == true)
        let atHome = VouchingLink("https://relay.example/#pair=abcd", at: "http://127.0.0.1:8787", staysHere: true, secret)
        #expect(atHome?.text.hasPrefix("https://relay.example/#pair=abcd&k=") == true)
    }

    @Test(
        arguments: [
            "https://relay.example/r?c=CODE", "https://relay.example/r?c=#pair=abcd&x=", "https://relay.example/#pair=abcd&x=",
            "https://relay.example/#pair=", "https://relay.example/#pair=abc", "https://relay.example/#pair=ab cd#", "",
            "https://relay.example/#host=abcd", "https://relay.example/##pair=abcd",
        ])
    func `what would have the secret sent to the relay is no link`(_ given: String) {
        #expect(VouchingLink(given, at: "https://relay.example", secret) == nil)
        #expect(VouchingLink(given, at: "http://localhost:1", staysHere: true, secret) == nil)
    }

    @Test(arguments: [
        "https://relay.example/r?c=1#pair=abcd", "javascript:alert(1)//#pair=abcd", "https://a@b/#pair=abcd", "x y#pair=abcd",
    ])
    func `of an address that the relay gave none has a query or is no address`(_ given: String) {
        #expect(VouchingLink(given, at: "http://localhost:1", staysHere: true, secret) == nil)
    }
}
