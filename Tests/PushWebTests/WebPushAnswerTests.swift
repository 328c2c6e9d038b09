import HeliographHTTP2
import Testing

@testable import PushWeb

@Suite("What push services answer")
struct WebPushAnswerTests {
    private static let now: Int64 = 784_111_770

    private func answer(_ status: Int, _ headers: [HTTP2Header] = [], _ body: String = "") throws -> WebPushAnswer {
        WebPushAnswer(
            HTTP2Message(status: status, headers: headers, body: Array(body.utf8)), to: try Browser.subscription().endpoint,
            at: Self.now)
    }

    @Test(arguments: [
        (200, "", WebPushAnswer.Remedy.none), (201, "", .none), (202, "", .none), (400, #"{"reason":"BadTtl"}"#, .fixRequest),
        (400, "UnauthorizedRegistration", .fixRequest),
        (401, #"{"code":401,"errno":109,"message":"Invalid"}"#, .fixCredentials),
        (401, #"{"errno":109,"message":"VAPID public key mismatch"}"#, .subscribeAnew),
        (403, #"{"reason":"BadJwtToken"}"#, .fixCredentials),
        (403, #"{"reason":"VapidPkHashMismatch"}"#, .subscribeAnew),
        (
            403, "the VAPID credentials in the authorization header do not correspond to the credentials used to create it",
            .subscribeAnew
        ),
        (404, "", .watch), (406, "", .slowDown), (408, "", .retryLater), (410, "", .drop), (413, "", .fixRequest),
        (429, "", .slowDown), (500, "", .retryLater), (502, "<html>", .retryLater), (503, "", .retryLater),
        (599, "", .retryLater),
        (301, "", .fixRequest), (302, "", .fixRequest), (307, "", .fixRequest), (308, "", .fixRequest), (418, "", .fixRequest),
        (0, "", .fixRequest),
    ])
    func `each status asks for one thing`(status: Int, body: String, remedy: WebPushAnswer.Remedy) throws {
        #expect(try answer(status, [], body).remedy == remedy)
    }

    @Test func `the reason is found wherever the service put it`() throws {
        #expect(try answer(400, [], #"{"reason":"BadWebPushTopic"}"#).text == "BadWebPushTopic")
        #expect(try answer(401, [], #"{"code":401,"errno":109,"error":"U","message":"No"}"#).text == "No, errno 109")
        #expect(try answer(400, [HTTP2Header("x-wns-error-description", "Ttl value conflicts")]).text == "Ttl value conflicts")
        #expect(try answer(400, [], "plain text\r\nof two lines").text == "plain text  of two lines")
        #expect(try answer(307, [HTTP2Header("location", "http://10.0.0.1/")]).text == "a redirect, which is not followed")
        #expect(try answer(201, [], #"{"reason":"x"}"#).text.isEmpty)
    }

    @Test func `it is one short line without the secret, and moves no cursor`() throws {
        let text = try answer(
            400, [], "no /secret-of-the-phone, and secret-of-the-phone \u{1B}[31mred" + String(repeating: "y", count: 4_000)
        ).text
        #expect(!text.contains("secret-of-the-phone") && text.hasPrefix("no /…, and …") && text.count <= 200)
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        let bytes = WebPushAnswer(
            HTTP2Message(status: 500, body: [0xFF, 0xFE, 0, 0x41]), to: try Browser.subscription().endpoint, at: 0)
        #expect(bytes.text.contains("A"))
    }

    @Test(arguments: [
        ("0", 0), ("120", 120), ("117", 117), ("999999999", 999_999_999), ("Sun, 06 Nov 1994 08:49:37 GMT", 7),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 3_155_760_007), ("Sun Nov  6 08:49:37 1994", 7),
        ("Sun, 06 Nov 1994 08:49:29 GMT", 0),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 167_670_630),
    ])
    func `a wait is told in seconds or as a date`(text: String, seconds: Int64) throws {
        #expect(try answer(429, [HTTP2Header("retry-after", text)]).retryAfter == .seconds(seconds))
    }

    @Test(arguments: [
        "", " ", "-1", "+5", "1.5", "1e3", "soon", "9999999999", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 199499 08:49:37 GMT", "٣",
    ])
    func `what is no wait is none`(text: String) throws {
        #expect(try answer(429, [HTTP2Header("retry-after", text)]).retryAfter == nil)
    }
}
