import ChannelAPNs
import HeliographHTTP2
import RelayProtocol
import Testing

@testable import PushAPNs

private typealias Transcript = MachineTranscript

@Suite("Requests about one notification")
struct NotificationTests {
    private static func ring(_ name: String = "s1.a1", to device: String = "aa") -> APNsRequest {
        Transcript.push(device) {
            $0.collapseID = name
            $0.isHarmlessToRepeat = true
        }
    }

    private static let unavailable = Transcript.refused(503, .serviceUnavailable, .sendLater)

    @Test func `a later one takes the place of one that waits for its next try`() {
        var transcript = Transcript.open()
        #expect(transcript.submit(Self.ring()) == [.send(2, 1, "token1")])
        #expect(transcript.answer(2, 503, .serviceUnavailable) == [])
        #expect(transcript.submit(Self.ring()) == [.finish(2, Self.unavailable), .send(3, 1, "token1")])
        #expect(transcript.answer(3, 200) == [.finish(3, Transcript.accepted)])
        #expect(transcript.pass(.seconds(600)) == [])
    }

    @Test func `a later one waits for the outcome of one that is on its way, which is not sent again`() {
        for end in [
            LaneMachine.Input.answered(2, APNsAnswer(status: 500, reason: .internalServerError)),
            .streamEnded(2, .deadlinePassed), .streamEnded(2, .reset(.refusedStream)),
        ] {
            var transcript = Transcript.open()
            #expect(transcript.submit(Self.ring()) == [.send(2, 1, "token1")])
            #expect(transcript.submit(Self.ring()) == [])
            // Only the last one counts.
            #expect(transcript.submit(Self.ring()) == [.finish(3, .notSent(.superseded))])
            let orders = transcript.lane(end) + transcript.lane(.pingAnswered(generation: 1))
            #expect(orders.contains { if case .finish(2, _, _) = $0 { true } else { false } })
            #expect(orders.contains(.send(4, 1, "token1")))
            #expect(transcript.answer(4, 200) == [.finish(4, Transcript.accepted)])
            #expect(transcript.pass(.seconds(600)).allSatisfy { if case .send = $0 { false } else { true } })
        }
    }

    @Test func `one whose answer was lost with its connection is not sent again after a later one`() {
        var transcript = Transcript.open()
        #expect(transcript.submit(Self.ring()) == [.send(2, 1, "token1")])
        #expect(transcript.submit(Self.ring()) == [])
        #expect(
            transcript.lane(.streamEnded(2, .connectionLost(wasSent: true)))
                == [.close(1), .finish(2, .unknown(.connectionLost)), .connect(2)])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 100)) == [.send(3, 2, "token1")])
    }

    @Test func `another notification, device or topic is not affected`() {
        var transcript = Transcript.open()
        for (number, request) in [
            Self.ring(), Self.ring("s1.a2"), Self.ring(to: "bb"),
            Transcript.push {
                $0.collapseID = "s1.a1"
                $0.topic = "dev.other"
            }, Transcript.push(),
        ].enumerated() {
            #expect(transcript.submit(request) == [.send(number + 2, 1, "token1")])
        }
    }

    @Test func `what is held while another is on its way is not sent when it is worth nothing any more`() {
        var transcript = Transcript.open()
        #expect(transcript.submit(Self.ring()) == [.send(2, 1, "token1")])
        var brief = Self.ring()
        brief.patience = .seconds(5)
        #expect(transcript.submit(brief) == [])
        #expect(transcript.pass(.seconds(6)) == [.finish(3, .notSent(.patienceOver(nil)))])
        #expect(transcript.answer(2, 200) == [.finish(2, Transcript.accepted)])
    }

    @Test func `the end gives an outcome to what is held, too`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Self.ring())
        _ = transcript.submit(Self.ring())
        let orders = transcript.lane(.stopped)
        #expect(orders.contains(.finish(3, .notSent(.stopped))) && orders.contains(.finish(2, .unknown(.connectionLost))))
    }

    // MARK: Withdrawn

    @Test func `what is withdrawn before it was sent is not sent`() {
        var transcript = Transcript()
        #expect(transcript.submit(Self.ring()) == [.connect(1)])
        #expect(transcript.handle(.withdrawn(number: 1)) == [.finish(1, .notSent(.withdrawn))])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 1)) == [])
    }

    @Test func `what waits for its next try has the outcome of its last`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Self.ring())
        _ = transcript.answer(2, 503, .serviceUnavailable)
        #expect(transcript.handle(.withdrawn(number: 2)) == [.finish(2, Self.unavailable)])
        #expect(transcript.pass(.seconds(600)) == [])
    }

    @Test func `what is on its way when it is withdrawn has the outcome that comes of it, and is not sent again`() {
        for (status, result) in [(200, Transcript.accepted), (503, Self.unavailable)] {
            var transcript = Transcript.open()
            _ = transcript.submit(Self.ring())
            #expect(transcript.handle(.withdrawn(number: 2)) == [])
            #expect(transcript.answer(2, status, status == 200 ? nil : .serviceUnavailable) == [.finish(2, result)])
            #expect(transcript.pass(.seconds(600)) == [])
        }
        var transcript = Transcript.open()
        _ = transcript.submit(Self.ring())
        _ = transcript.handle(.withdrawn(number: 2))
        // Nor is it sent to the other environment.
        #expect(
            transcript.answer(2, 400, .badDeviceToken)
                == [.finish(2, Transcript.refused(400, .badDeviceToken, .quarantineToken))])
    }

    @Test func `what has an outcome cannot be withdrawn`() {
        var transcript = Transcript.open()
        #expect(transcript.handle(.withdrawn(number: 1)) == [] && transcript.handle(.withdrawn(number: 9)) == [])
    }
}
