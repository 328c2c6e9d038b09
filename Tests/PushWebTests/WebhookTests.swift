import HeliographHTTP2
import Testing

@testable import PushWeb

@Suite("Webhooks after Standard Webhooks")
struct WebhookTests {
    private static let services = WebPushServices(
        added: [WebPushServices.Added(server: "http://hooks.lan:8080=10.0.0.7")!], takesAnyPublic: true)
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("a request has the signature of the specification's own example")
    func signature() throws {
        let secret = try #require(WebhookSecret(Self.secret))
        let body = Array(#"{"test": 2432232314}"#.utf8)
        #expect(
            secret.signature(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("each attempt is signed for its time, with the same id")
    func request() throws {
        let endpoint = try WebPushEndpoint(webhook: "https://chat.example.org/hooks/a1b2c3d4?x=1", of: Self.services)
        var request = WebPushRequest(
            to: endpoint, signedWith: try #require(WebhookSecret(Self.secret)),
            try WebPushMessage(json: Array("{}".utf8), topic: nil, secondsToLive: 60, urgency: .high))
        request.id = "id-7"
        let (first, second) = (
            request.message(signedWith: try #require(WebhookSecret(Self.secret)), at: 1_000),
            request.message(signedWith: try #require(WebhookSecret(Self.secret)), at: 1_001)
        )
        #expect(first[":path"] == "/hooks/a1b2c3d4?x=1" && first["webhook-id"] == "id-7" && second["webhook-id"] == "id-7")
        #expect(first["webhook-timestamp"] == "1000" && first["webhook-signature"] != second["webhook-signature"])
        var spoken = ""
        dump(request, to: &spoken)
        for text in ["\(request)", String(reflecting: request), spoken] {
            #expect(!text.contains("a1b2c3d4") && !text.contains("MfKQ"))
        }
    }

    @Test(
        "a secret is 24 to 64 bytes in base64 after its prefix",
        arguments: [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_AAAA",
            "whsec_a b",
            "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ])
    func badSecret(_ text: String) { #expect(WebhookSecret(text) == nil) }

    @Test("only public addresses with TLS are called, and what the operator names by its address")
    func addresses() throws {
        for good in ["https://chat.example.org/x", "https://chat.example.org", "http://hooks.lan:8080/x"] {
            _ = try WebPushEndpoint(webhook: good, of: Self.services)
        }
        for bad in [
            "http://chat.example/x", "https://localhost/x", "https://169.254.169.254/x", "https://10.0.0.7/x",
            "http://hooks.lan/x",
            "https://user@chat.example/x", "https://chat.example.org/x#y", "ftp://chat.example/x", "https:///x",
        ] {
            #expect(throws: WebPushError.self, "\(bad)") { try WebPushEndpoint(webhook: bad, of: Self.services) }
        }
    }

    @Test(
        "a webhook says itself when it is gone; its other refusals are its own",
        arguments: [
            (410, .drop), (404, .fixRequest), (401, .fixToken), (400, .fixRequest), (429, .slowDown), (503, .retryLater),
        ]
            as [(Int, WebPushAnswer.Remedy)])
    func answers(_ status: Int, _ remedy: WebPushAnswer.Remedy) throws {
        let endpoint = try WebPushEndpoint(webhook: "https://chat.example.org/hooks/a1b2c3d4", of: Self.services)
        let body = Array(#"{"error":"no hook a1b2c3d4"}"#.utf8)
        let answer = WebPushAnswer(HTTP2Message(status: status, headers: [], body: body), to: endpoint, at: 0)
        #expect(answer.remedy == remedy && answer.text == "no hook …")
    }
}
