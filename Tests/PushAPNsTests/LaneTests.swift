import ChannelAPNs
import HeliographHTTP2
import RelayProtocol
import Testing

@testable import PushAPNs

private typealias Transcript = MachineTranscript

@Suite("One connection to APNs")
struct LaneTests {
    @Test func `nothing goes before SETTINGS, and the first request goes alone`() {
        var transcript = Transcript()
        #expect(transcript.submit() == [.connect(1)])
        #expect(transcript.submit() == [])
        #expect(transcript.submit() == [])
        // One request, even if the server allows more, because it has not authenticated us yet.
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 100)) == [.mint, .send(1, 1, "token1")])
        #expect(
            transcript.answer(1, 200)
                == [.finish(1, Transcript.accepted), .send(2, 1, "token1"), .send(3, 1, "token1")])
    }

    @Test func `every later limit of the server is kept`() {
        var transcript = Transcript.open(streamsMax: 2)
        #expect(transcript.submit() == [.send(2, 1, "token1")])
        #expect(transcript.submit() == [.send(3, 1, "token1")])
        #expect(transcript.submit() == [])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 1)) == [])
        #expect(transcript.answer(2, 200) == [.finish(2, Transcript.accepted)])
        #expect(transcript.answer(3, 200) == [.finish(3, Transcript.accepted), .send(4, 1, "token1")])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 0)) == [])
        #expect(transcript.answer(4, 200) == [.finish(4, Transcript.accepted)])
        #expect(transcript.submit() == [])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 5)) == [.send(5, 1, "token1")])
    }

    @Test func `what is urgent goes first`() {
        var transcript = Transcript()
        _ = transcript.submit()
        _ = transcript.submit(Transcript.push { $0.priority = 5 })
        _ = transcript.submit(Transcript.push { $0.priority = 10 })
        _ = transcript.lane(.settingsReceived(generation: 1, streamsMax: 1))
        #expect(transcript.answer(1, 200) == [.finish(1, Transcript.accepted), .send(3, 1, "token1")])
        #expect(transcript.answer(3, 200) == [.finish(3, Transcript.accepted), .send(2, 1, "token1")])
    }

    @Test func `after GOAWAY a new connection carries what was above the last stream, and the old one ends with its answers`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.submit()
        #expect(transcript.lane(.goAwayReceived(generation: 1, reason: "Shutdown")) == [])
        // Stream 3 was not looked at; stream 2 still flies.
        #expect(transcript.lane(.streamEnded(3, .reset(.refusedStream))) == [.connect(2)])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.send(3, 2, "token1")])
        #expect(transcript.answer(2, 200) == [.close(1), .finish(2, Transcript.accepted)])
        #expect(transcript.lane(.closed(generation: 1, .here)) == [])
        #expect(transcript.answer(3, 200) == [.finish(3, Transcript.accepted)])
    }

    @Test func `what was sent before a connection broke is sent again only where that is harmless`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.submit(Transcript.push { $0.isHarmlessToRepeat = true })
        _ = transcript.submit()
        #expect(
            transcript.lane(.streamEnded(2, .connectionLost(wasSent: true)))
                == [.finish(2, .unknown(.connectionLost))])
        #expect(transcript.lane(.streamEnded(3, .connectionLost(wasSent: true))) == [])
        // The server cannot have seen the end of this one.
        #expect(transcript.lane(.streamEnded(4, .connectionLost(wasSent: false))) == [.close(1), .connect(2)])
        #expect(transcript.lane(.closed(generation: 1, .byPeer)) == [])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 100)) == [.send(4, 2, "token1")])
        #expect(transcript.answer(4, 200) == [.finish(4, Transcript.accepted)])
        #expect(transcript.pass(.seconds(1)) == [.send(3, 2, "token1")])
    }

    @Test func `a client that is replaced gives back what waits, and only that`() {
        var transcript = Transcript.open(streamsMax: 1)
        #expect(transcript.submit(Transcript.push { $0.isHarmlessToRepeat = true }) == [.send(2, 1, "token1")])
        #expect(transcript.submit() == [])
        #expect(transcript.handle(.replaced) == [.finish(3, .notSent(.replaced))])
        #expect(transcript.submit() == [.finish(4, .notSent(.replaced))])
        // The next client also has the pushes that would be retried.
        #expect(transcript.answer(2, 503, .serviceUnavailable) == [.finish(2, .notSent(.replaced))])
        #expect(transcript.pass(.seconds(600)) == [])
    }

    @Test func `a client that reaches nobody gives back all at once`() {
        var transcript = Transcript()
        #expect(transcript.submit() == [.connect(1)])
        #expect(transcript.lane(.closed(generation: 1, .unreachable("no route"))) == [.close(1)])
        #expect(transcript.handle(.replaced) == [.finish(1, .notSent(.replaced))])
    }

    @Test func `a refused stream is sent again, at first at once`() {
        var transcript = Transcript.open()
        #expect(transcript.submit() == [.send(2, 1, "token1")])
        #expect(transcript.lane(.streamEnded(2, .reset(.refusedStream))) == [.send(2, 1, "token1")])
        #expect(transcript.lane(.streamEnded(2, .reset(.refusedStream))) == [])
        #expect(transcript.pass(.milliseconds(50)) == [.send(2, 1, "token1")])
    }

    @Test func `a stream that is refused for ever is given up`() {
        var limits = APNsLimits()
        limits.attemptsMax = 3
        var transcript = Transcript.open(limits: limits)
        _ = transcript.submit()
        for _ in 1...2 {
            _ = transcript.lane(.streamEnded(2, .reset(.refusedStream)))
            _ = transcript.pass(.seconds(1))
        }
        #expect(transcript.lane(.streamEnded(2, .reset(.refusedStream))) == [.finish(2, .notSent(.patienceOver(nil)))])
    }

    @Test func `a reset is an unknown outcome, or another attempt`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.submit(Transcript.push { $0.isHarmlessToRepeat = true })
        #expect(
            transcript.lane(.streamEnded(2, .reset(.internalError)))
                == [.finish(2, .unknown(.reset("reset by the server: INTERNAL_ERROR")))])
        #expect(transcript.lane(.streamEnded(3, .reset(.internalError))) == [])
        #expect(transcript.pass(.seconds(1)) == [.send(3, 1, "token1")])
        #expect(transcript.answer(3, 200) == [.finish(3, Transcript.accepted)])
    }

    @Test func `an answer that does not come makes us ask whether the connection lives, and leave it if not`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.submit(Transcript.push { $0.isHarmlessToRepeat = true })
        #expect(transcript.lane(.streamEnded(2, .deadlinePassed)) == [.finish(2, .unknown(.timedOut)), .ping(1)])
        #expect(transcript.submit() == [])
        #expect(transcript.pass(.seconds(4)) == [])
        #expect(transcript.pass(.seconds(1)) == [.drop(1), .connect(2)])
        #expect(transcript.lane(.streamEnded(3, .connectionLost(wasSent: true))) == [.close(1)])
        #expect(transcript.lane(.closed(generation: 1, .here)) == [])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.send(4, 2, "token1")])
    }

    @Test func `a slow server that answers a PING keeps its connection`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(transcript.lane(.streamEnded(2, .deadlinePassed)) == [.finish(2, .unknown(.timedOut)), .ping(1)])
        #expect(transcript.submit() == [])
        #expect(transcript.lane(.pingAnswered(generation: 1)) == [.send(3, 1, "token1")])
    }

    @Test func `an idle connection is asked before it is used`() {
        var transcript = Transcript.open()
        _ = transcript.pass(.seconds(59))
        #expect(transcript.submit() == [.send(2, 1, "token1")])
        #expect(transcript.answer(2, 200) == [.finish(2, Transcript.accepted)])
        _ = transcript.pass(.seconds(61))
        #expect(transcript.submit() == [.ping(1)])
        #expect(transcript.submit() == [])
        #expect(transcript.lane(.pingAnswered(generation: 1)) == [.send(3, 1, "token1"), .send(4, 1, "token1")])
    }

    @Test func `a host that cannot be reached is called again after longer and longer waits, and patience ends`() {
        var transcript = Transcript()
        _ = transcript.submit()
        var waits: [Duration] = []
        for generation in 1...5 {
            #expect(transcript.lane(.closed(generation: generation, .unreachable("no route"))) == [.close(generation)])
            let start = transcript.now.instant
            while transcript.pass(.milliseconds(10)).isEmpty {}
            waits.append(start.duration(to: transcript.now.instant))
        }
        for (index, wait) in waits.enumerated() {
            let step = Duration.milliseconds(500) * (1 << index)
            #expect(wait >= step / 2 && wait <= step + .milliseconds(20), "wait \(index) is \(wait)")
        }
        #expect(transcript.pass(.seconds(60)) == [.finish(1, .notSent(.patienceOver("no route")))])
    }

    @Test func `a connection that closes unused is left alone until there is something to send`() {
        var transcript = Transcript.open()
        #expect(transcript.lane(.closed(generation: 1, .byPeer)) == [.close(1)])
        #expect(transcript.pass(.seconds(600)) == [])
        #expect(transcript.submit() == [.connect(2)])
    }

    @Test func `more than the limit is refused`() {
        var limits = APNsLimits()
        limits.requestsMax = 2
        var transcript = Transcript(limits: limits)
        _ = transcript.submit()
        _ = transcript.submit()
        #expect(transcript.submit() == [.finish(3, .notSent(.queueFull))])
    }

    @Test func `at the end everything gets an outcome`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.lane(.settingsReceived(generation: 1, streamsMax: 1))
        _ = transcript.submit()
        let orders = transcript.handle(.stopped)
        #expect(orders == [.close(1), .finish(3, .notSent(.stopped)), .finish(2, .unknown(.connectionLost))])
        #expect(transcript.submit() == [.finish(4, .notSent(.stopped))])
    }

    @Test func `two teams and two environments have connections of their own`() {
        var transcript = Transcript()
        #expect(transcript.submit() == [.connect(.production, 1)])
        #expect(transcript.submit(Transcript.push { $0.environment = .sandbox }) == [.connect(.sandbox, 1)])
        let foreign = transcript.submit(Transcript.push { $0.teamID = "OTHER67890" })
        guard case .finish(3, .notSent(.noKey), .production) = foreign.first else {
            Issue.record("a team without a key: \(foreign)")
            return
        }
    }
}
