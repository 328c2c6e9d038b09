import HeliographCrypto
import HeliographHTTP2
import Testing

@testable import PushWeb

@Suite("What a client says is a subscription")
struct WebPushSubscriptionTests {
    @Test(arguments: [
        "https://web.push.apple.com/QOG2xzv-_t", "https://api.push.apple.com/x",
        "https://fcm.googleapis.com/fcm/send/c-1:APA91b",
        "https://jmt17.google.com/fcm/send/x", "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYAAACG%2b5%2f", "https://fcm.googleapis.com:443/wp/x",
    ])
    func `those of the five services are taken`(endpoint: String) throws {
        let subscription = try Browser.subscription(endpoint)
        #expect(subscription.endpoint.secretText == endpoint.replacingPort)
    }

    @Test(arguments: [
        // Another scheme, or none.
        "", "http://fcm.googleapis.com/x", "HTTPS://fcm.googleapis.com/x", "//fcm.googleapis.com/x",
        "https:fcm.googleapis.com/x",
        "file:///etc/passwd", "gopher://fcm.googleapis.com/x",
        // A user, a port, a fragment, no path.
        "https://user@fcm.googleapis.com/x", "https://fcm.googleapis.com:443@evil.example/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com:/x", "https://fcm.googleapis.com:0443/x", "https://fcm.googleapis.com:443:443/x",
        "https://fcm.googleapis.com/x#y", "https://fcm.googleapis.com", "https://fcm.googleapis.com/",
        // Hosts that only look like it.
        "https://FCM.googleapis.com/x", "https://fcm.googleapis.com./x", "https://fcm.googleapis.com.evil.example/x",
        "https://evilfcm.googleapis.com/x", "https://notify.windows.com.evil.example/x", "https://xpush.apple.com/x",
        "https://fcm.googleapis.com\\@evil.example/x", "https://fcm.googleapis.com%2f@evil.example/x",
        "https://fcm..googleapis.com/x",
        "https://ｆcm.googleapis.com/x", "https://-fcm.googleapis.com/x", "https://.push.apple.com/x",
        // IP addresses in any spelling.
        "https://127.0.0.1/x", "https://[::1]/x", "https://2130706433/x", "https://0x7f.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/x", "https://localhost:8787/x",
        // Bytes that end a header or a line.
        "https://fcm.googleapis.com/x y", "https://fcm.googleapis.com/x\r\nhost: y", "https://fcm.googleapis.com/\u{0}",
        "https://fcm.googleapis.com/é",
    ])
    func `everything else is refused, and its path not repeated`(endpoint: String) throws {
        let error = try #require(throws: WebPushError.self) { try Browser.subscription(endpoint) }
        #expect(error.code == .invalidEndpoint || error.code == .serviceNotAllowed)
        #expect(!error.message.contains("meta-data"))
    }

    @Test func `an address has an end`() throws {
        let start = "https://web.push.apple.com/"
        _ = try Browser.subscription(start + String(repeating: "x", count: 2_048 - start.utf8.count))
        #expect(throws: WebPushError.self) {
            try Browser.subscription(start + String(repeating: "x", count: 2_049 - start.utf8.count))
        }
        #expect(throws: WebPushError.self) {
            try Browser.subscription("https://" + String(repeating: "x.", count: 200) + "push.apple.com/x")
        }
    }

    @Test func `a service that was added is taken by its exact name and port`() throws {
        let services = WebPushServices(added: [.init("push.home.lan", port: 8_443), .init("ntfy.sh")])
        for endpoint in ["https://push.home.lan:8443/up", "https://ntfy.sh/up", "https://web.push.apple.com/x"] {
            #expect(try Browser.subscription(endpoint, of: services).endpoint.secretText == endpoint)
        }
        for endpoint in [
            "https://push.home.lan/up", "https://a.ntfy.sh/up", "https://ntfy.sh:8443/up", "https://web.push.apple.com:8443/x",
        ] {
            let error = #expect(throws: WebPushError.self) { try Browser.subscription(endpoint, of: services) }
            #expect(error?.code == .serviceNotAllowed)
        }
    }

    @Test func `keys that no browser makes are refused`() throws {
        let endpoint = "https://web.push.apple.com/x"
        let other = Crypto.base64URL([UInt8](repeating: 4, count: 65))
        let bad: [(String, String)] = [
            ("", Browser.auth), (Browser.p256dh, ""), (Browser.p256dh + "=", Browser.auth),
            (Browser.p256dh, Browser.auth + "=="),
            (other, Browser.auth), (Browser.p256dh, Crypto.base64URL([UInt8](repeating: 1, count: 15))),
            (String(Browser.p256dh.dropLast()), Browser.auth), (Browser.p256dh, Browser.auth.replacing("_", with: "/")),
            (Browser.p256dh, Browser.auth + "A"),
        ]
        for (p256dh, auth) in bad where (p256dh, auth) != (Browser.p256dh, Browser.auth) {
            let error = #expect(throws: WebPushError.self) {
                try WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
            }
            #expect(error?.code == .invalidKeys)
        }
    }

    @Test func `nothing that prints it shows more than the host`() throws {
        let request = try WebPushRequest.sample(to: Browser.subscription())
        var dumped = ""
        dump(request, to: &dumped)
        let attempt = WebPushAttempt(number: 1, request, at: .now)
        for text in ["\(request)", String(reflecting: request), dumped, "\([request.endpoint])", "\(attempt)"] {
            #expect(text.contains("web.push.apple.com") && !text.contains("secret-of-the-phone"))
        }
    }

    @Test func `what it is about is 32 characters of base64url, the same for the same and another for others`() {
        let topic = WebPushTopic(["session-1", "approval-1"])
        #expect(topic.text.utf8.count == 32 && Crypto.bytes(base64URL: topic.text)?.count == 24)
        #expect(topic == WebPushTopic(["session-1", "approval-1"]))
        #expect(Set([topic, WebPushTopic(["session-1a", "pproval-1"]), WebPushTopic(["session-1approval-1"])]).count == 3)
    }

    @Test func `a message keeps its bounds`() throws {
        let error = #expect(throws: WebPushError.self) {
            try WebPushMessage(text: [UInt8](repeating: 0, count: 2_601), topic: nil, secondsToLive: 60, urgency: .low)
        }
        #expect(error?.code == .textTooLong)
        for (given, kept) in [(-1, 1), (0, 1), (60, 60), (.max, 2_592_000)] {
            #expect(try WebPushMessage(text: [], topic: nil, secondsToLive: given, urgency: .low).secondsToLive == kept)
        }
    }
}

extension String {
    /// The usual port is not repeated.
    fileprivate var replacingPort: String { replacing(":443/", with: "/") }
}
