import HeliographCrypto
import HeliographTestSupport
import Testing

@testable import PushWeb

@Suite("What only the browser can open")
struct MessageBodyTests {
    // RFC 8291, appendix A.
    private static let senderKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0
        KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH
        Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP
        -----END PRIVATE KEY-----
        """
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    @Test func `it is sealed as the standard's example`() throws {
        let text = Array("When I grow up, I want to be a watermelon".utf8)
        let sealed = try MessageBody.seal(
            text, paddedTo: text.count, for: Browser.subscription(), key: P256AgreementKey(pem: Self.senderKey),
            salt: #require(Crypto.bytes(base64URL: "DGv6ra1nlYgDCS1FRnbzlw")))
        #expect(Crypto.base64URL(sealed) == Self.body)
    }

    @Test func `a library of another make opens a thousand of them`() async throws {
        let python = try Python("open_messages", Browser.pem)
        var generator = SystemRandomNumberGenerator()
        var digests: [UInt8] = []
        for number in 0..<1_000 {
            let count =
                number < 10 ? [0, 1, 511, 512, 513, 1_024, 2_047, 2_048, 2_599, 2_600][number] : Int.random(in: 0...2_600)
            let text = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let message = try WebPushMessage(text: text, topic: nil, secondsToLive: 1, urgency: .normal)
            let auth = Crypto.base64URL(Crypto.random(count: 16))
            let body = try MessageBody.seal(text, paddedTo: message.paddedSize, for: Browser.subscription(auth: auth))
            #expect(WebPushMessage.paddedSizes.contains(body.count - 103), "the length tells no more than the size")
            digests += Crypto.sha256(text)
            python.tell(#"{"body":"\#(Crypto.base64URL(body))","auth":"\#(auth)"}"#)
        }
        python.tell("")
        let opened = try await python.next()
        #expect(opened["count"]?.int == 1_000 && opened["digest"]?.string == Crypto.hex(Crypto.sha256(digests)))
    }

    @Test func `no two bodies share a key, a salt or a length that tells of the text`() throws {
        let bodies = try (1...50).map { count in
            try MessageBody.seal([UInt8](repeating: 7, count: count), paddedTo: 512, for: Browser.subscription())
        }
        #expect(Set(bodies.map { $0[..<16] }).count == 50 && Set(bodies.map { $0[21..<86] }).count == 50)
        #expect(Set(bodies.map(\.count)) == [615])
    }
}
