import HeliographHTTP2
import Testing

@testable import PushWeb

private typealias Transcript = OriginTranscript

@Suite("What follows from a refusal")
struct RefusalTests {
    private let accepted = WebPushOutcome.Result.accepted(status: 201)

    @Test(arguments: [
        (400, "BadTtl", WebPushAdvice.fixRequest), (413, "", .fixRequest), (302, "a redirect", .fixRequest),
        (405, "", .fixRequest),
        (403, "VapidPkHashMismatch", .subscribeAnew), (410, "", .dropSubscription), (404, "", .keepSubscription),
        (403, "BadJwtToken", .fixCredentials), (401, "", .fixCredentials),
    ])
    func `what will not pass is told at once`(status: Int, text: String, advice: WebPushAdvice) throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit()
        #expect(transcript.answer(2, status, text) == [.finish(2, Transcript.refused(status, advice, text))])
        #expect(try transcript.submit() == [.send(3, 1, "token1")])
    }

    @Test func `a subscription that is not known twice within a day is dropped`() throws {
        var transcript = try Transcript.open()
        func miss(_ number: Int, _ advice: WebPushAdvice) throws {
            let orders = try transcript.submit()
            if orders.contains(.connect(transcript.machine.link.generation)) {
                _ = transcript.handle(.connected(generation: transcript.machine.link.generation, streamsMax: 9))
            }
            #expect(transcript.answer(number, 404).last == .finish(number, Transcript.refused(404, advice)))
        }
        try miss(2, .keepSubscription)
        _ = transcript.pass(.seconds(3_600))
        try miss(3, .dropSubscription)
        _ = transcript.pass(.seconds(86_400))
        try miss(4, .keepSubscription)
        _ = try transcript.submit()
        _ = transcript.answer(5, 201)
        try miss(6, .keepSubscription)
        _ = transcript.pass(.seconds(86_399))
        try miss(7, .dropSubscription)
    }

    @Test func `what our own next tries are told within an hour is no second time`() throws {
        var transcript = try Transcript.open()
        for number in 2...100 {
            let orders = try transcript.submit()
            if orders.contains(.connect(transcript.machine.link.generation)) {
                _ = transcript.handle(.connected(generation: transcript.machine.link.generation, streamsMax: 9))
            }
            #expect(transcript.answer(number, 404).last == .finish(number, Transcript.refused(404, .keepSubscription)))
            _ = transcript.pass(.seconds(30))
        }
    }

    @Test func `one phone waits as long as it was told to, and the others go on`() throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit(to: "a")
        #expect(transcript.answer(2, 429, after: .seconds(37)) == [])
        #expect(try transcript.submit(to: "b") == [.send(3, 1, "token1")])
        #expect(transcript.answer(3, 201) == [.finish(3, accepted)])
        #expect(try transcript.submit(to: "a") == [])
        #expect(transcript.pass(.milliseconds(36_900)) == [])
        #expect(transcript.pass(.milliseconds(100)) == [.send(2, 1, "token1")])
        #expect(transcript.answer(2, 201) == [.finish(2, accepted), .send(4, 1, "token1")])
    }

    @Test(arguments: [406, 429]) func `who does not say how long waits a minute`(status: Int) throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit(patience: .seconds(300))
        #expect(transcript.answer(2, status) == [])
        #expect(transcript.pass(.milliseconds(59_900)) == [])
        #expect(transcript.pass(.milliseconds(100)) == [.send(2, 1, "token1")])
    }

    @Test func `what cannot go in its time is given up at once, and what comes after as well`() throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit()
        _ = try transcript.submit()
        let refusal = Transcript.refused(429, .sendLater, after: .seconds(86_400))
        #expect(
            transcript.answer(2, 429, after: .seconds(86_400))
                == [.finish(3, .notSent(.patienceOver(nil))), .finish(2, refusal)])
        let late = try transcript.submit()
        guard case .finish(4, .notSent(.patienceOver(_?))) = late.first else {
            Issue.record("\(late)")
            return
        }
        #expect(try transcript.submit(to: "b") == [.send(5, 1, "token1")])
    }

    @Test func `where several phones are too many, the service is left alone`() throws {
        var transcript = try Transcript.open()
        for phone in ["a", "b", "c"] { _ = try transcript.submit(to: phone, patience: .seconds(300)) }
        #expect(transcript.answer(2, 429) + transcript.answer(3, 429) == [])
        #expect(transcript.answer(4, 429) == [.close(1)])
        #expect(try transcript.submit(to: "d", patience: .seconds(300)) == [])
        #expect(transcript.pass(.seconds(59)) == [])
        #expect(transcript.pass(.seconds(2)) == [.connect(2)])
    }

    @Test func `a server in trouble is asked again and then left alone`() throws {
        var transcript = try Transcript.open()
        for phone in ["a", "b", "c", "d", "e"] { _ = try transcript.submit(to: phone) }
        for number in 2...5 { #expect(transcript.answer(number, 500) == []) }
        #expect(transcript.answer(6, 500) == [.close(1)])
        guard case .pausing = transcript.machine.link.state else {
            Issue.record("\(transcript.machine.link.state)")
            return
        }
        #expect(transcript.pass(.seconds(2)) == [.connect(2)])
    }

    @Test func `errors that do not end are an outcome`() throws {
        var transcript = try Transcript.open {
            ($0.attemptsMax, $0.serverErrorsMax) = (3, 99)
        }
        _ = try transcript.submit()
        var orders: [Transcript.Order] = []
        for _ in 0..<2 {
            #expect(transcript.answer(2, 502) == [])
            orders += transcript.pass(.seconds(4))
        }
        #expect(orders == [.send(2, 1, "token1"), .send(2, 1, "token1")])
        #expect(transcript.answer(2, 502) == [.finish(2, Transcript.refused(502, .sendLater))])
    }

    @Test func `a wait that the server in trouble asks for is kept`() throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit()
        #expect(transcript.answer(2, 503, after: .seconds(30)) == [])
        #expect(transcript.pass(.milliseconds(29_900)) == [])
        #expect(transcript.pass(.milliseconds(100)) == [.send(2, 1, "token1")])
    }

    @Test func `a token that got old is renewed, and the push sent again`() throws {
        var transcript = try Transcript.open()
        _ = transcript.pass(.seconds(3_600))
        _ = try transcript.submit()
        #expect(transcript.handle(.connected(generation: 2, streamsMax: 9)) == [.send(2, 2, "token1")])
        #expect(transcript.answer(2, 403, "BadJwtToken") == [.sign, .send(2, 2, "token2")])
        #expect(
            transcript.answer(2, 403, "BadJwtToken") == [.finish(2, Transcript.refused(403, .fixCredentials, "BadJwtToken"))])
    }

    @Test func `whoever refuses our token again and again is left alone for longer each time`() throws {
        var transcript = try Transcript.open()
        for number in 2...4 {
            _ = try transcript.submit()
            let orders = transcript.answer(number, 403, "BadJwtToken")
            #expect(orders.contains(.finish(number, Transcript.refused(403, .fixCredentials, "BadJwtToken"))))
        }
        #expect(try transcript.submit() == [.finish(5, .notSent(.breakerOpen("BadJwtToken")))])
        #expect(transcript.machine.barredReason == "BadJwtToken")
        _ = transcript.pass(.seconds(75))
        #expect(try transcript.submit() == [.connect(2)])
        #expect(transcript.handle(.connected(generation: 2, streamsMax: 9)) == [.send(6, 2, "token1")])
        _ = transcript.answer(6, 403, "BadJwtToken")
        _ = transcript.pass(.seconds(100))
        #expect(try transcript.submit() == [.finish(7, .notSent(.breakerOpen("BadJwtToken")))])
        _ = transcript.pass(.seconds(60))
        #expect(try transcript.submit() == [.connect(3)])
        _ = transcript.handle(.connected(generation: 3, streamsMax: 9))
        #expect(transcript.answer(8, 201) == [.finish(8, accepted)])
        #expect(try transcript.submit() == [.send(9, 3, "token1")])
    }

    @Test func `subscriptions of another key say nothing against our token`() throws {
        var transcript = try Transcript.open()
        for number in 2...9 {
            #expect(try transcript.submit() == [.send(number, 1, "token1")])
            _ = transcript.answer(number, 403, "VapidPkHashMismatch")
        }
    }
}
