import HeliographHTTP2
import Testing

@testable import PushWeb

private typealias Transcript = OriginTranscript

@Suite("What goes to one push service")
struct OriginMachineTests {
    private let accepted = WebPushOutcome.Result.accepted(status: 201)

    @Test func `one connection and one token carry all, as many at a time as the server allows`() throws {
        var transcript = try Transcript.open(streamsMax: 2)
        #expect(try transcript.submit(to: "a") == [.send(2, 1, "token1")])
        #expect(try transcript.submit(to: "b") == [.send(3, 1, "token1")])
        #expect(try transcript.submit(to: "c") == [])
        #expect(transcript.answer(2, 201) == [.finish(2, accepted), .send(4, 1, "token1")])
        #expect(transcript.handle(.connected(generation: 1, streamsMax: 0)) == [])
        #expect(transcript.answer(3, 201) + transcript.answer(4, 201) == [.finish(3, accepted), .finish(4, accepted)])
        #expect(try transcript.submit() == [])
        #expect(transcript.handle(.connected(generation: 1, streamsMax: 1)) == [.send(5, 1, "token1")])
    }

    @Test func `what goes to one phone goes in its order, also where the first has to be repeated`() throws {
        var transcript = try Transcript.open()
        #expect(try transcript.submit(to: "a") == [.send(2, 1, "token1")])
        #expect(try transcript.submit(to: "a", urgency: .high) == [])
        #expect(try transcript.submit(to: "b") == [.send(4, 1, "token1")])
        #expect(transcript.answer(2, 503) == [])
        #expect(transcript.pass(.seconds(1)) == [.send(2, 1, "token1")])
        #expect(transcript.answer(2, 201) == [.finish(2, accepted), .send(3, 1, "token1")])
    }

    @Test func `what is urgent goes before what waits for other phones`() throws {
        var transcript = try Transcript.open(streamsMax: 1)
        _ = try transcript.submit(to: "a")
        _ = try transcript.submit(to: "b")
        _ = try transcript.submit(to: "c", urgency: .high)
        #expect(transcript.answer(2, 201) == [.finish(2, accepted), .send(4, 1, "token1")])
        #expect(transcript.answer(4, 201) == [.finish(4, accepted), .send(3, 1, "token1")])
    }

    @Test func `a later one takes the place of what waits with its topic, and of nothing else`() throws {
        var transcript = try Transcript.open()
        #expect(try transcript.submit(about: "approval") == [.send(2, 1, "token1")])
        #expect(try transcript.submit(about: "approval") == [])
        #expect(try transcript.submit(about: "question") == [.send(4, 1, "token1")])
        #expect(try transcript.submit(about: "approval") == [.finish(3, .notSent(.superseded))])
        #expect(try transcript.submit(to: "b", about: "approval") == [.send(6, 1, "token1")])
        // The first was in flight; it is not retried if a newer one waits.
        let refusal = Transcript.refused(503, .sendLater)
        #expect(transcript.answer(2, 503) == [.finish(2, refusal)])
        #expect(transcript.answer(4, 201) == [.finish(4, accepted)])
        #expect(transcript.pass(.seconds(1)) == [.send(5, 1, "token1")])
    }

    @Test func `pushes about different things go to one phone side by side, up to a number, and one about nothing goes alone`()
        throws
    {
        var transcript = try Transcript.open { $0.endpointFlightsMax = 2 }
        #expect(try transcript.submit(about: "a1") == [.send(2, 1, "token1")])
        #expect(try transcript.submit(about: "a2") == [.send(3, 1, "token1")])
        #expect(try transcript.submit(about: "a3") == [])
        #expect(try transcript.submit() == [])
        #expect(try transcript.submit(about: "a4") == [])
        #expect(transcript.answer(2, 201) == [.finish(2, accepted), .send(4, 1, "token1")])
        #expect(transcript.answer(3, 201) == [.finish(3, accepted)])
        #expect(transcript.answer(4, 201) == [.finish(4, accepted), .send(5, 1, "token1")])
        #expect(transcript.answer(5, 201) == [.finish(5, accepted), .send(6, 1, "token1")])
    }

    @Test func `a burst of approvals to one phone waits for answers alone`() throws {
        var transcript = try Transcript.open()
        for number in 0..<64 { _ = try transcript.submit(about: "a\(number)", urgency: .high) }
        var answered = 0
        for round in 0..<4 {
            let flying = (2 + 16 * round)..<(18 + 16 * round)
            for number in flying {
                answered += transcript.answer(number, 201).count { if case .finish(_, .accepted) = $0 { true } else { false } }
            }
        }
        #expect(answered == 64 && transcript.machine.waitingCount == 0)
    }

    @Test func `where nobody knows what became of it, it is sent again only if its topic makes that harmless`() throws {
        for end in [
            HTTP2StreamEnd.connectionLost(wasSent: true), .deadlinePassed, .reset(.internalError), .resetHere(.protocolError),
            .tooLarge,
        ] {
            var transcript = try Transcript.open()
            _ = try transcript.submit(to: "a")
            _ = try transcript.submit(to: "b", about: "approval")
            let first = transcript.end(2, end)
            guard case .finish(2, .unknown) = first.last else {
                Issue.record("\(end): \(first)")
                continue
            }
            #expect(!transcript.end(3, end).contains { if case .finish = $0 { true } else { false } })
            _ = transcript.pass(.seconds(1))
            _ = transcript.handle(.connected(generation: transcript.machine.link.generation, streamsMax: 9))
            let last = transcript.answer(3, 201)
            #expect(last.last == .finish(3, accepted), "\(end)")
        }
    }

    @Test func `what the server cannot have seen is sent again, at first at once`() throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit()
        #expect(transcript.end(2, .reset(.refusedStream)) == [.send(2, 1, "token1")])
        #expect(transcript.end(2, .reset(.refusedStream)) == [])
        #expect(transcript.pass(.seconds(2)) == [.send(2, 1, "token1")])
        #expect(transcript.end(2, .connectionLost(wasSent: false)) == [.close(1)])
        #expect(transcript.pass(.seconds(4)) == [.connect(2)])
    }

    @Test func `after GOAWAY a new connection is used, and the old one ends with its answers`() throws {
        var transcript = try Transcript.open()
        _ = try transcript.submit(to: "a")
        #expect(transcript.handle(.goAwayReceived(generation: 1)) == [])
        #expect(try transcript.submit(to: "b") == [.connect(2)])
        #expect(transcript.handle(.connected(generation: 2, streamsMax: 10)) == [.send(3, 2, "token1")])
        #expect(transcript.answer(2, 201) == [.close(1), .finish(2, accepted)])
        #expect(transcript.handle(.closed(generation: 1, .byPeer)) == [])
    }

    @Test func `a host that cannot be reached is called again later and later, until it is not worth it`() throws {
        var transcript = Transcript()
        #expect(try transcript.submit(patience: .seconds(10)) == [.connect(1)])
        for generation in 1...2 {
            #expect(transcript.handle(.closed(generation: generation, .unreachable("no route"))) == [.close(generation)])
            #expect(transcript.pass(.seconds(1)) == [.connect(generation + 1)])
        }
        #expect(transcript.handle(.closed(generation: 3, .unreachable("no route"))) == [.close(3)])
        #expect(transcript.pass(.seconds(60)) == [.connect(4), .finish(1, .notSent(.patienceOver("no route")))])
        #expect(transcript.handle(.closed(generation: 4, .unreachable("no route"))) == [.close(4)])
        // No push is left.
        #expect(transcript.pass(.seconds(600)) == [] && transcript.machine.isUnused)
    }

    @Test func `each failed call waits longer`() throws {
        var transcript = Transcript()
        _ = try transcript.submit(patience: .seconds(3_600))
        var waits: [Int64] = []
        for _ in 0..<9 {
            let start = transcript.now.instant
            _ = transcript.handle(.closed(generation: transcript.machine.link.generation, .byPeer))
            while transcript.pass(.milliseconds(100)).isEmpty {}
            waits.append(start.duration(to: transcript.now.instant).components.seconds)
        }
        #expect(waits.first == 0 && waits.last! >= 29 && waits.allSatisfy { $0 <= 60 })
    }

    @Test func `an unused connection is closed, and a new one made when it is needed`() throws {
        var transcript = try Transcript.open()
        #expect(transcript.pass(.seconds(119)) == [])
        #expect(try transcript.submit() == [.send(2, 1, "token1")])
        #expect(transcript.answer(2, 201) == [.finish(2, accepted)])
        #expect(transcript.pass(.seconds(121)) == [.close(1)])
        #expect(transcript.machine.isUnused)
        #expect(try transcript.submit() == [.connect(2)])
    }

    @Test func `what is left of its life goes with it, and no push outlives it`() throws {
        var transcript = Transcript()
        _ = try transcript.submit(to: "a", secondsToLive: 40)
        _ = try transcript.submit(to: "b", secondsToLive: 5)
        #expect(transcript.pass(.seconds(10)) == [.finish(2, .notSent(.patienceOver(nil)))])
        #expect(transcript.handle(.connected(generation: 1, streamsMax: 9)) == [.sign, .send(1, 1, "token1")])
        #expect(transcript.lastSecondsToLive == 30)
        #expect(try transcript.submit(to: "c", secondsToLive: 0) == [.send(3, 1, "token1")])
        #expect(transcript.lastSecondsToLive == 1)
    }

    @Test func `no queue grows without end`() throws {
        var transcript = Transcript { ($0.requestsMax, $0.endpointRequestsMax) = (5, 2) }
        #expect(try transcript.submit(to: "a", about: "x") == [.connect(1)])
        #expect(try transcript.submit(to: "a") == [])
        #expect(try transcript.submit(to: "a") == [.finish(3, .notSent(.queueFull))])
        // A request that replaces another needs no more room.
        #expect(try transcript.submit(to: "a", about: "x") == [.finish(1, .notSent(.superseded))])
        for phone in ["b", "c", "d"] { #expect(try transcript.submit(to: phone) == []) }
        #expect(try transcript.submit(to: "e") == [.finish(8, .notSent(.queueFull))])
        #expect(transcript.machine.waitingCount == 5)
        _ = transcript.pass(.seconds(61))
        #expect(transcript.machine.waitingCount == 0)
    }

    @Test func `what is withdrawn is not sent, nor sent again, and what follows it goes on`() throws {
        var transcript = try Transcript.open()
        #expect(try transcript.submit(about: "x") == [.send(2, 1, "token1")])
        #expect(try transcript.submit() == [])
        #expect(try transcript.submit() == [])
        #expect(transcript.handle(.withdrawn(3)) == [.finish(3, .notSent(.withdrawn))])
        #expect(transcript.handle(.withdrawn(2)) == [])
        #expect(transcript.answer(2, 503) == [.finish(2, Transcript.refused(503, .sendLater))])
        #expect(transcript.pass(.seconds(10)) == [.send(4, 1, "token1")])
        // The push waits for its next try.
        #expect(transcript.answer(4, 503) == [])
        #expect(transcript.handle(.withdrawn(4)) == [.finish(4, Transcript.refused(503, .sendLater))])
        #expect(transcript.pass(.seconds(100)) == [] && transcript.machine.waitingCount == 0)
    }

    @Test func `the end gives every request its outcome`() throws {
        var transcript = try Transcript.open(streamsMax: 1)
        _ = try transcript.submit(to: "a")
        _ = try transcript.submit(to: "b")
        #expect(
            transcript.handle(.stopped) == [.close(1), .finish(3, .notSent(.stopped)), .finish(2, .unknown(.connectionLost))])
        #expect(try transcript.submit() == [.finish(4, .notSent(.stopped))])
        #expect(transcript.pass(.seconds(600)) == [])
    }
}
