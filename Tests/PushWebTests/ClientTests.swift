import HeliographHTTP2
import HeliographTestSupport
import Testing

@testable import PushWeb

@Suite("The client against a strict push service", .timeLimit(.minutes(2)))
struct ClientTests {
    private let accepted = WebPushOutcome.Result.accepted(status: 201)

    @Test(arguments: [(["h2", "http/1.1"], "2"), (["http/1.1"], "1.1"), ([], "1.1")])
    func `a push arrives as the browser wants it, by either version of HTTP`(protocols: [String], http: String) async throws {
        let pair = try await PushServicePair(protocols: protocols)
        let subscription = try await pair.subscribe()
        for number in 1...3 {
            let request = try WebPushRequest.sample(
                to: subscription, about: "approval-\(number)", secondsToLive: 60, urgency: .high)
            let outcome = await pair.client.send(request)
            #expect(outcome == WebPushOutcome(accepted, attempts: 1))
            let got = try await pair.request()
            #expect(got["status"]?.int == 201 && got["http"]?.string == http && got["reason"]?.string == "")
            #expect(got["text"]?.string == #"{"web_push":8030}"# && got["connection"]?.int == 1)
            guard case .object(let headers)? = got["headers"] else { throw TestFailure("no headers") }
            #expect(headers["ttl"]?.string == "60" && headers["urgency"]?.string == "high")
            #expect(
                headers["topic"]?.string == request.message.topic?.text
                    && headers["content-type"]?.string == "application/octet-stream")
        }
        let state = try #require(await pair.client.origins().first)
        #expect(state.waiting == 0 && state.flying == 0 && state.trouble == nil && state.connection?.tlsVersion == "TLSv1.3")
    }

    @Test(arguments: [["h2"], ["http/1.1"]])
    func `two hundred phones get theirs on one connection with one token`(protocols: [String]) async throws {
        let pair = try await PushServicePair(protocols: protocols)
        var subscriptions: [WebPushSubscription] = []
        for _ in 0..<20 { subscriptions.append(try await pair.subscribe()) }
        let requests = try (0..<200).map { try WebPushRequest.sample(to: subscriptions[$0 % 20], patience: .seconds(90)) }
        let outcomes = await withTaskGroup(of: WebPushOutcome.self) { group in
            for request in requests { group.addTask { await pair.client.send(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200 && outcomes.allSatisfy { $0 == WebPushOutcome(accepted, attempts: 1) })
        var tokens: Set<String> = []
        for _ in 0..<200 {
            let got = try await pair.request()
            #expect(got["connection"]?.int == 1)
            if case .object(let headers)? = got["headers"], let token = headers["authorization"]?.string {
                tokens.insert(token)
            }
        }
        #expect(tokens.count == 1)
    }

    @Test func `the service's own refusals come back with what to do`() async throws {
        let pair = try await PushServicePair()
        let (gone, foreign) = (try await pair.subscribe(), try await pair.subscribe(for: VAPIDKey()))
        try await pair.unsubscribe(gone)
        let first = await pair.client.send(try .sample(to: gone))
        #expect(first.result == .refused(WebPushRefusal(status: 410, text: "Unregistered"), .dropSubscription))
        let second = await pair.client.send(try .sample(to: foreign))
        #expect(second.result == .refused(WebPushRefusal(status: 403, text: "VapidPkHashMismatch"), .subscribeAnew))
        let unknown = try Browser.subscription(
            try #require(pair.services.added.first.map { "https://localhost:\($0.port)/nobody" }), of: pair.services)
        let third = await pair.client.send(try .sample(to: unknown))
        #expect(third.result == .refused(WebPushRefusal(status: 404, text: "BadDeviceToken"), .keepSubscription))
    }

    @Test(arguments: [
        (400, WebPushAdvice.fixRequest), (401, .fixCredentials), (403, .fixCredentials), (404, .keepSubscription),
        (410, .dropSubscription),
        (413, .fixRequest), (301, .fixRequest), (307, .fixRequest), (308, .fixRequest),
    ])
    func `each refusal is one answer and no second try`(status: Int, advice: WebPushAdvice) async throws {
        for protocols in [["h2"], ["http/1.1"]] {
            let pair = try await PushServicePair(protocols: protocols)
            let subscription = try await pair.subscribe()
            // A redirect into the own network: nothing is ever asked there.
            try await pair.fault(status, ["location": "https://169.254.169.254/latest", "retry-after": "5"], "no")
            let outcome = await pair.client.send(try .sample(to: subscription))
            guard case .refused(let refusal, advice) = outcome.result else { throw TestFailure("\(outcome)") }
            #expect(refusal.status == status && refusal.retryAfter == .seconds(5) && outcome.attempts == 1)
            #expect(await pair.client.send(try .sample(to: subscription)).result == accepted)
        }
    }

    @Test(arguments: [406, 429, 500, 502, 503])
    func `what passes is tried again after the wait that the service asks for`(status: Int) async throws {
        let pair = try await PushServicePair { $0.backoffBase = .milliseconds(20) }
        let subscription = try await pair.subscribe()
        try await pair.fault(status, ["retry-after": "0"])
        try await pair.fault(status, ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"])
        let outcome = await pair.client.send(try .sample(to: subscription))
        #expect(outcome == WebPushOutcome(accepted, attempts: 3))
    }

    @Test(arguments: [["h2"], ["http/1.1"]], [true, false])
    func `a service that hangs up or says nothing is asked again only where a topic makes that harmless`(
        protocols: [String], cuts: Bool
    ) async throws {
        let pair = try await PushServicePair(protocols: protocols) {
            ($0.backoffBase, $0.connectBackoffBase) = (.milliseconds(20), .milliseconds(20))
            $0.answerDeadline = .milliseconds(500)
        }
        let subscription = try await pair.subscribe()
        try await pair.fault(cuts: cuts)
        let lost = await pair.client.send(try .sample(to: subscription))
        #expect(lost == WebPushOutcome(.unknown(cuts ? .connectionLost : .timedOut), attempts: 1))
        try await pair.fault(cuts: cuts)
        let repeated = await pair.client.send(try .sample(to: subscription, about: "approval"))
        #expect(repeated == WebPushOutcome(accepted, attempts: 2))
    }

    @Test func `an answer without an end is cut off`() async throws {
        for protocols in [["h2"], ["http/1.1"]] {
            let pair = try await PushServicePair(protocols: protocols)
            let subscription = try await pair.subscribe()
            try await pair.fault(400, [:], String(repeating: "x", count: 5_000))
            let outcome = await pair.client.send(try .sample(to: subscription))
            #expect(outcome.result == .unknown(.reset("the answer was too large")))
            #expect(await pair.client.send(try .sample(to: subscription)).result == accepted)
        }
    }

    @Test func `an address of the own network is not called, whatever the name`() async throws {
        let pair = try await PushServicePair(mayBePrivate: false)
        let subscription = try await pair.subscribe()
        let outcome = await pair.client.send(try .sample(to: subscription, patience: .milliseconds(300)))
        guard case .notSent(.patienceOver(let trouble?)) = outcome.result else { throw TestFailure("\(outcome)") }
        #expect(trouble.contains("localhost is at ") && trouble.contains("which is not called"))
    }

    @Test(arguments: [true, false]) func `a certificate that proves nothing is not trusted`(isTrusted: Bool) async throws {
        // Either no authority has signed it, or it is for another name.
        let names = isTrusted ? ["DNS:web.push.apple.com"] : ["DNS:localhost"]
        let pair = try await PushServicePair(isTrusted: isTrusted, certificateNames: names)
        let outcome = await pair.client.send(try .sample(to: pair.subscribe(), patience: .milliseconds(300)))
        guard case .notSent(.patienceOver(let trouble?)) = outcome.result else { throw TestFailure("\(outcome)") }
        #expect(trouble.contains("is not trusted"))
    }

    @Test func `a subscription of a service that is not called any more is not sent to`() async throws {
        let pair = try await PushServicePair()
        let services = WebPushServices(added: [.init("push.example.org")])
        let old = try Browser.subscription("https://push.example.org/x", of: services)
        #expect(await pair.client.send(try .sample(to: old)).result == .notSent(.invalidRequest))
        #expect(await pair.client.origins().isEmpty)
    }

    @Test func `a client that has stopped says so`() async throws {
        let pair = try await PushServicePair()
        let subscription = try await pair.subscribe()
        try await pair.fault()
        async let flying = pair.client.send(try .sample(to: subscription))
        _ = try await pair.request()
        pair.client.stop()
        #expect(try await flying.result == .unknown(.connectionLost))
        #expect(await pair.client.send(try .sample(to: subscription)).result == .notSent(.stopped))
        #expect(await pair.client.origins().isEmpty)
    }
}
