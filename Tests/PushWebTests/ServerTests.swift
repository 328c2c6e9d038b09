import HeliographHTTP2
import Testing

@testable import PushWeb

@Suite("Servers that take JSON as it is")
struct ServerTests {
    private static let services = WebPushServices(
        added: ["http://192.168.1.5:8080", "https://ntfy.lan", "http://box.lan=10.0.0.7"].compactMap { .init(server: $0) },
        takesAnyPublic: true)

    private func endpoint(_ server: String) throws -> WebPushEndpoint {
        try WebPushEndpoint(server: server, queue: "secret-topic tk_secret", of: Self.services)
    }

    @Test(arguments: [
        "https://ntfy.sh", "https://ntfy.example.org:8443", "http://192.168.1.5:8080", "https://ntfy.lan", "http://box.lan",
    ])
    func `public servers with TLS are called, and those that the operator names`(server: String) throws {
        #expect(try endpoint(server).origin.description == server)
    }

    @Test(arguments: [
        // Without TLS, or in the own network, and not named.
        "http://ntfy.sh", "http://ntfy.lan", "https://box.lan", "https://ntfy.lan:8443", "http://192.168.1.5",
        "http://10.0.0.7",
        "https://localhost", "https://router", "https://a.internal", "https://169.254.169.254", "https://8.8.8.8",
        "https://2130706433", "https://[::1]",
        // Not the address of a server.
        "ftp://ntfy.sh", "ntfy.sh", "https://", "https://user@ntfy.sh", "https://NTFY.sh", "https://ntfy.sh/",
        "https://ntfy.sh:0",
        "https://ntfy.sh:+443", "https://ntfy.sh\r\nx: y",
    ])
    func `everything else is refused`(server: String) throws {
        let error = try #require(throws: WebPushError.self) { try endpoint(server) }
        #expect([.invalidEndpoint, .serviceNotAllowed].contains(error.code) && !error.message.contains("secret"))
    }

    @Test(arguments: [
        ("http://ntfy.lan", "http://ntfy.lan"), ("ntfy.lan", "https://ntfy.lan"), ("https://ntfy.lan:443", "https://ntfy.lan"),
        ("http://10.0.0.7", "http://10.0.0.7"), ("http://box.lan:80=10.0.0.7", "http://box.lan=10.0.0.7"),
        ("https://box.lan=[fd00::1]", "https://box.lan=[fd00::1]"),
    ])
    func `a server is named as people write it`(text: String, spelled: String) throws {
        let added = try #require(WebPushServices.Added(server: text))
        #expect(added.serverText == spelled && added.mayBePrivate)
        #expect(WebPushServices.Added(server: spelled) == added)
    }

    @Test(arguments: [
        "", "a b", "http://", "http://a.lan:0", "http://a.lan:x", "http://a.lan=b.lan", "ftp://a.lan", "http://a.lan/x",
    ])
    func `what is no server is not named`(text: String) { #expect(WebPushServices.Added(server: text) == nil) }

    @Test(
        arguments: [
            (200, nil), (401, .refused(.fixCredentials)), (403, .refused(.fixCredentials)), (404, .refused(.fixRequest)),
            (410, .refused(.fixRequest)), (413, .refused(.fixRequest)), (429, .waits), (500, .waits), (507, .waits),
        ] as [(Int, Reaction?)])
    func `a refusal is one person's, and bars nobody else`(status: Int, reaction: Reaction?) throws {
        var machine = OriginMachine(isSigned: false, seed: 7)
        let now = Moment(instant: MonotonicTime(nanoseconds: 1), unixSeconds: 1_795_178_096)
        func request(_ queue: String) throws -> WebPushRequest {
            let endpoint = try WebPushEndpoint(server: "https://ntfy.sh", queue: queue, of: Self.services)
            var request = WebPushRequest(
                to: endpoint, authorization: "Bearer tk_secret",
                try WebPushMessage(json: Array("{}".utf8), topic: nil, secondsToLive: 3_600, urgency: .high))
            request.patience = .seconds(3_600)
            return request
        }
        _ = machine.handle(.submitted(number: 1, try request("a")), at: now)
        let begun = machine.handle(.connected(generation: 1, streamsMax: 10), at: now)
        #expect(begun.contains { if case .send(let attempt, _, "", _, _) = $0 { attempt.number == 1 } else { false } })
        var answer = WebPushAnswer(status: status)
        answer.isOfServer = true
        let said = machine.handle(.answered(1, answer), at: now)
        let results = said.compactMap { if case .finish(_, let outcome) = $0 { outcome.result } else { nil } }
        switch reaction {
        case nil: #expect(results == [.accepted(status: status)])
        case .waits: #expect(results.isEmpty)
        case .refused(let advice): #expect(results == [.refused(answer.refusal, advice)])
        }
        // A single server error may be the server's own.
        guard let reaction, status != 500 else { return }
        for number in 2...6 {
            let queue = if case .refused = reaction { "a" } else { "a\(number)" }
            _ = machine.handle(.submitted(number: number, try request(queue)), at: now)
            _ = machine.handle(.answered(number, answer), at: now)
        }
        #expect(machine.barredReason == nil)
        let next = machine.handle(.submitted(number: 7, try request("b")), at: now)
        #expect(next.contains { if case .send(let attempt, _, _, _, _) = $0 { attempt.number == 7 } else { false } })
    }

    enum Reaction: Sendable { case waits, refused(WebPushAdvice) }

    @Test func `no text repeats topic or token`() throws {
        let endpoint = try endpoint("https://ntfy.sh")
        let body = Array(#"{"code":40301,"http":403,"error":"forbidden: secret-topic for tk_secret"}"#.utf8)
        let answer = WebPushAnswer(HTTP2Message(status: 403, headers: [], body: body), to: endpoint, at: 0)
        #expect(answer.isOfServer && answer.text == "forbidden: … for …")
        let request = WebPushRequest(
            to: endpoint, authorization: nil, try WebPushMessage(json: [], topic: nil, secondsToLive: 1, urgency: .low))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] { #expect(!text.contains("secret")) }
    }

    @Test func `a message has an end`() throws {
        #expect(throws: WebPushError.self) {
            try WebPushMessage(json: [UInt8](repeating: 7, count: 8_193), topic: nil, secondsToLive: 1, urgency: .low)
        }
    }
}
