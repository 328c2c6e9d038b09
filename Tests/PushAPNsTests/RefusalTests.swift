import ChannelAPNs
import HeliographHTTP2
import RelayProtocol
import Testing

@testable import PushAPNs

private typealias Transcript = MachineTranscript

@Suite("Refusals of APNs")
struct RefusalTests {
    @Test(arguments: [
        (400, APNsReason.badPriority, PushAdvice.fixRequest), (413, .payloadTooLarge, .fixRequest),
        (404, .badPath, .fixRequest), (400, .deviceTokenNotForTopic, .markProfile), (400, .topicDisallowed, .markProfile),
        (400, .channelNotRegistered, .dropChannel), (400, .featureNotEnabled, .enableBroadcast),
    ])
    func `what is wrong with the request ends it at once`(status: Int, reason: APNsReason, advice: PushAdvice) {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(transcript.answer(2, status, reason) == [.finish(2, Transcript.refused(status, reason, advice))])
        #expect(transcript.submit() == [.send(3, 1, "token1")])
    }

    @Test func `every reason has a status that Apple gives it and is spelled as Apple does`() {
        #expect(APNsReason.allCases.count == 42)
        for reason in APNsReason.allCases {
            #expect(APNsReason(rawValue: reason.rawValue) == reason)
            #expect(reason.rawValue.allSatisfy { $0.isASCII && $0.isLetter })
        }
    }

    @Test func `an unknown reason is judged by its status and handed on as text`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        var answer = APNsAnswer(status: 400)
        answer.reasonText = "SomethingNew"
        #expect(
            transcript.lane(.answered(2, answer))
                == [.finish(2, .refused(status: 400, nil, text: "SomethingNew", .fixRequest))])
    }

    @Test func `a 410 clears a token only if it is older than the answer says`() {
        var transcript = Transcript.open()
        for (number, registered, advice) in [(2, Int64(999), PushAdvice.dropToken), (3, 1_000, .keepToken)] {
            _ = transcript.submit(Transcript.push { $0.tokenRegisteredAt = registered })
            #expect(
                transcript.answer(number, 410, .unregistered, timestamp: 1_000)
                    == [.finish(number, Transcript.refused(410, .unregistered, advice))])
        }
        _ = transcript.submit()
        #expect(transcript.answer(4, 410, .expiredToken) == [.finish(4, Transcript.refused(410, .expiredToken, .keepToken))])
    }

    @Test func `a device that gets too much is left alone, others are not`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Transcript.push("aa"))
        #expect(transcript.answer(2, 429, .tooManyRequests) == [])
        #expect(transcript.submit(Transcript.push("aa")) == [])
        #expect(transcript.submit(Transcript.push("bb")) == [.send(4, 1, "token1")])
        let orders = transcript.pass(.seconds(1))
        #expect(orders.count == 2)
        #expect(orders.contains(.send(2, 1, "token1")) && orders.contains(.send(3, 1, "token1")))
        #expect(transcript.answer(2, 200) == [.finish(2, Transcript.accepted)])
    }

    @Test func `retry-after is kept where it is longer than our own wait`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(transcript.lane(.answered(2, APNsAnswer(status: 429, reason: .tooManyRequests, retryAfter: 20))) == [])
        #expect(transcript.pass(.milliseconds(19_990)) == [])
        #expect(transcript.pass(.milliseconds(10)) == [.send(2, 1, "token1")])
    }

    @Test func `an error of the server is tried again after longer and longer waits`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Transcript.push { $0.patience = .seconds(600) })
        var waits: [Duration] = []
        for _ in 1...4 {
            #expect(transcript.answer(2, 503, .serviceUnavailable) == [])
            let start = transcript.now.instant
            while transcript.pass(.milliseconds(10)).isEmpty {}
            waits.append(start.duration(to: transcript.now.instant))
        }
        for (index, wait) in waits.enumerated() {
            let step = Duration.seconds(1 << index)
            #expect(wait >= step / 2 && wait <= step + .milliseconds(20), "wait \(index) is \(wait)")
        }
        #expect(transcript.answer(2, 200) == [.finish(2, Transcript.accepted)])
    }

    @Test func `an error of the server that does not end is a refusal when patience does`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Transcript.push { $0.patience = .seconds(2) })
        #expect(transcript.answer(2, 500, .internalServerError) == [])
        var orders = transcript.pass(.seconds(1))
        #expect(orders == [.send(2, 1, "token1")])
        orders = transcript.answer(2, 500, .internalServerError)
        #expect(
            orders + transcript.pass(.seconds(2)) == [.finish(2, Transcript.refused(500, .internalServerError, .sendLater))])
    }

    @Test func `a server in trouble is left alone by everybody, then tried by one`() {
        var limits = APNsLimits()
        limits.serverErrorsMax = 3
        var transcript = Transcript.open(limits: limits)
        for number in 2...4 { #expect(transcript.submit() == [.send(number, 1, "token1")]) }
        #expect(transcript.answer(2, 503) == [])
        #expect(transcript.answer(3, 503) == [])
        #expect(transcript.answer(4, 503) == [.close(1)])
        #expect(transcript.submit() == [])
        #expect(transcript.pass(.seconds(1)).contains(.connect(2)))
        let orders = transcript.lane(.settingsReceived(generation: 2, streamsMax: 100))
        #expect(orders.count == 1, "one at a time: \(orders)")
    }

    @Test func `a shutdown moves to another connection at once`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(transcript.answer(2, 503, .shutdown) == [.close(1), .connect(2)])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.send(2, 2, "token1")])
    }

    // MARK: Environments

    @Test func `a token of the wrong environment is tried in the other one, once, and that is remembered`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(transcript.answer(2, 400, .badDeviceToken) == [.connect(.sandbox, 1)])
        #expect(
            transcript.lane(.settingsReceived(generation: 1, streamsMax: 1), Transcript.sandbox) == [.send(2, 1, "token1")])
        #expect(
            transcript.lane(.answered(2, APNsAnswer(status: 200)), Transcript.sandbox)
                == [.finish(2, Transcript.accepted, .sandbox)])
        #expect(transcript.submit() == [.send(3, 1, "token1")])
        #expect(transcript.lane(.answered(3, APNsAnswer(status: 200)), Transcript.sandbox).count == 1)
        // The app may have been reinstalled from the store: a known environment is tried again, too.
        #expect(transcript.submit() == [.send(4, 1, "token1")])
        #expect(
            transcript.lane(.answered(4, APNsAnswer(status: 400, reason: .badDeviceToken)), Transcript.sandbox)
                == [.send(4, 1, "token1")])
        #expect(transcript.answer(4, 200) == [.finish(4, Transcript.accepted)])
        #expect(transcript.submit() == [.send(5, 1, "token1")])
        #expect(transcript.answer(5, 200) == [.finish(5, Transcript.accepted)])
    }

    @Test func `a token that neither environment knows is refused by the first one's word`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.answer(2, 400, .badDeviceToken)
        _ = transcript.lane(.settingsReceived(generation: 1, streamsMax: 1), Transcript.sandbox)
        #expect(
            transcript.lane(.answered(2, APNsAnswer(status: 400, reason: .badDeviceToken)), Transcript.sandbox)
                == [.finish(2, Transcript.refused(400, .badDeviceToken, .quarantineToken), .production)])
    }

    @Test func `a token that was accepted before is not tried elsewhere, nor where there is no key`() {
        var transcript = Transcript.open()
        _ = transcript.submit(Transcript.push { $0.isEnvironmentProven = true })
        let refusal = Transcript.refused(400, .badDeviceToken, .quarantineToken)
        #expect(transcript.answer(2, 400, .badDeviceToken) == [.finish(2, refusal)])
        transcript = Transcript.open(environments: [.production])
        _ = transcript.submit()
        #expect(transcript.answer(2, 400, .badDeviceToken) == [.finish(2, refusal)])
    }

    // MARK: Credentials

    @Test func `an expired provider token makes a new one and a new connection, once`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        _ = transcript.pass(.seconds(20 * 60))
        _ = transcript.submit()
        // Asleep for so long, the connection is asked first; both requests then fly, one answer comes for each.
        _ = transcript.lane(.pingAnswered(generation: 1))
        #expect(transcript.answer(3, 403, .expiredProviderToken).contains(.connect(2)))
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.mint, .send(3, 2, "token2")])
        #expect(
            transcript.answer(3, 403, .expiredProviderToken).contains(
                .finish(3, Transcript.refused(403, .expiredProviderToken, .fixCredentials))))
        #expect(transcript.mints == 2)
    }

    @Test func `within 20 minutes no second token is made, whatever the server says`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        let orders = transcript.answer(2, 403, .expiredProviderToken)
        #expect(orders == [.close(1), .connect(2)])
        #expect(
            transcript.lane(.settingsReceived(generation: 2, streamsMax: 1))
                == [.close(2), .finish(2, Transcript.refused(403, .expiredProviderToken, .fixCredentials))])
        #expect(transcript.submit() == [.finish(3, .notSent(.breakerOpen(.expiredProviderToken)))])
        #expect(transcript.mints == 1)
        _ = transcript.pass(.seconds(20 * 60))
        #expect(transcript.submit() == [.connect(3)])
        #expect(transcript.lane(.settingsReceived(generation: 3, streamsMax: 1)) == [.mint, .send(4, 3, "token2")])
    }

    @Test func `a storm of 403 opens the breaker, longer each time, and one request tries whether it may close`() {
        var transcript = Transcript.open()
        for number in 2...5 { #expect(transcript.submit() == [.send(number, 1, "token1")]) }
        let refusal = Transcript.refused(403, .invalidProviderToken, .fixCredentials)
        #expect(transcript.answer(2, 403, .invalidProviderToken) == [.finish(2, refusal), .readKey])
        #expect(transcript.answer(3, 403, .invalidProviderToken) == [.finish(3, refusal), .readKey])
        #expect(transcript.answer(4, 403, .invalidProviderToken) == [.finish(4, refusal), .readKey])
        #expect(transcript.submit() == [.finish(6, .notSent(.breakerOpen(.invalidProviderToken)))])
        #expect(transcript.answer(5, 403, .invalidProviderToken) == [.close(1), .finish(5, refusal), .readKey])
        #expect(transcript.pass(.seconds(60)) == [])
        #expect(transcript.submit() == [.finish(7, .notSent(.breakerOpen(.invalidProviderToken)))])
        #expect(transcript.pass(.seconds(15)) == [])
        #expect(transcript.submit() == [.connect(2)])
        #expect(transcript.submit() == [])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 9)) == [.send(8, 2, "token1")])
        #expect(
            transcript.answer(8, 403, .invalidProviderToken)
                == [
                    .finish(8, refusal), .readKey, .close(2),
                    .finish(9, .notSent(.breakerOpen(.invalidProviderToken))),
                ])
        // Twice as long, and then it is well.
        #expect(transcript.pass(.seconds(119)) == [])
        #expect(transcript.submit() == [.finish(10, .notSent(.breakerOpen(.invalidProviderToken)))])
        _ = transcript.pass(.seconds(32))
        #expect(transcript.submit() == [.connect(3)])
        _ = transcript.lane(.settingsReceived(generation: 3, streamsMax: 9))
        #expect(transcript.answer(11, 200) == [.finish(11, Transcript.accepted)])
        for number in 12...13 { #expect(transcript.submit() == [.send(number, 3, "token1")]) }
    }

    @Test func `another key lifts the breaker and takes another connection`() {
        var transcript = Transcript.open()
        for _ in 2...4 { _ = transcript.submit() }
        for number in 2...4 { _ = transcript.answer(number, 403, .invalidProviderToken) }
        #expect(transcript.submit() == [.finish(5, .notSent(.breakerOpen(.invalidProviderToken)))])
        #expect(transcript.handle(.keyRead(Transcript.key, digest: "key2")) == [])
        #expect(transcript.submit() == [.connect(2)])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.mint, .send(6, 2, "token2")])
    }

    @Test func `a key that is replaced while all is well gets a connection of its own`() {
        var transcript = Transcript.open()
        _ = transcript.handle(.keyRead(Transcript.key, digest: "key2"))
        #expect(transcript.submit() == [.mint, .close(1), .connect(2)])
        #expect(transcript.lane(.settingsReceived(generation: 2, streamsMax: 1)) == [.send(2, 2, "token2")])
    }

    @Test func `too many provider tokens close the connection and open the breaker at once`() {
        var transcript = Transcript.open()
        _ = transcript.submit()
        #expect(
            transcript.answer(2, 429, .tooManyProviderTokenUpdates)
                == [.finish(2, Transcript.refused(429, .tooManyProviderTokenUpdates, .sendLater)), .close(1)])
        #expect(transcript.submit() == [.finish(3, .notSent(.breakerOpen(.tooManyProviderTokenUpdates)))])
    }

    @Test func `without a usable key nothing waits`() {
        var transcript = Transcript()
        transcript.machine = APNsMachine(
            teams: [
                APNsTeam(
                    teamID: Transcript.team,
                    keys: [.production: APNsKey(teamID: Transcript.team, keyID: "KEY4567890", file: "none")])
            ], seed: 1)
        _ = transcript.handle(.keyFailed(Transcript.key, "none cannot be read"))
        _ = transcript.submit()
        #expect(
            transcript.lane(.settingsReceived(generation: 1, streamsMax: 1))
                == [.finish(1, .notSent(.noKey("none cannot be read")))])
    }
}
